#include "sim/engine/attention_cost.h"

#include <algorithm>

#include "sim/engine/gemm_cost.h"
#include "sim/engine/peak.h"

namespace stepsim {

namespace {

double bytes_of(Dtype dtype) { return bytes_per_element(dtype).value(); }

/// Queries and results, keys and values, each once; backward also their gradients.
Bytes traffic(const Attention& a) {
  const auto rows = static_cast<double>(a.sequences * a.q_heads * a.q_len);
  const auto keys = static_cast<double>(a.sequences * a.kv_heads * a.kv_len);
  const double once =
      rows * (a.qk_dim + a.v_dim) * bytes_of(a.dtype) + keys * (a.qk_dim + a.v_dim) * bytes_of(a.kv_dtype);
  return Bytes(a.backward ? 2 * once : once);
}

/// Share of the peak that a block reaches.
double share_of_peak(const Attention& a, const AttentionCurve& curve) {
  const double ceiling = a.backward ? curve.backward_ceiling : curve.forward_ceiling;
  const double keys = a.area / static_cast<double>(a.q_len);
  return ceiling * keys / (keys + curve.half_length + (a.causal ? curve.causal_waste : 0));
}

Seconds flash_time(const Attention& a, Flops flops, const Accelerator& chip) {
  const double share = share_of_peak(a, chip.attention) * chip.sustained_clock;
  const Seconds memory = traffic(a) / (chip.memory_bandwidth * chip.attention.decode_bandwidth_share);
  return std::max(flops / (peak_of(chip, a.dtype) * share), memory) + chip.attention.overhead;
}

/// One query row a sequence and head gives the tensor cores too little: the cache's bytes decide.
Seconds decode_time(const Attention& a, const Accelerator& chip) {
  return traffic(a) / (chip.memory_bandwidth * chip.attention.decode_bandwidth_share) + chip.attention.overhead;
}

Seconds unfused_time(const Attention& a, const Accelerator& chip) {
  const std::int64_t groups = a.sequences * a.q_heads;
  const Gemm scores{a.q_len, a.kv_len, a.qk_dim, groups, a.dtype, false};
  const Gemm values{a.q_len, a.v_dim, a.kv_len, groups, a.dtype, false};
  const Seconds forward = gemm_time(scores, chip) + gemm_time(values, chip);
  return a.backward ? 2.0 * forward : forward;
}

}  // namespace

Seconds attention_time(const Attention& a, Flops flops, const Accelerator& chip) {
  if (a.unfused) return unfused_time(a, chip);
  return a.q_len == 1 ? decode_time(a, chip) : flash_time(a, flops, chip);
}

}  // namespace stepsim
