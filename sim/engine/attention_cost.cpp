#include "sim/engine/attention_cost.h"

#include <algorithm>

#include "sim/engine/gemm_cost.h"
#include "sim/engine/peak.h"

namespace stepsim {

namespace {

double bytes_of(Dtype dtype) { return bytes_per_element(dtype).value(); }

/// Elements that the cache holds of a key and its value. Absorbed MLA (one latent head under many query heads,
/// DeepSeek-V2, arXiv 2405.04434, section 2.1.2) finds the value in the key's own row.
int cached_width(const Attention& a) {
  const bool latent = a.kv_heads == 1 && a.q_heads > 1 && a.qk_dim > a.v_dim;
  return latent ? a.qk_dim : a.qk_dim + a.v_dim;
}

/// Queries and results, keys and values, each once; backward also their gradients.
Bytes traffic(const Attention& a) {
  const auto rows = static_cast<double>(a.sequences * a.q_heads * a.q_len);
  const auto keys = static_cast<double>(a.sequences * a.kv_heads * a.kv_len);
  const double once = rows * (a.qk_dim + a.v_dim) * bytes_of(a.dtype) + keys * cached_width(a) * bytes_of(a.kv_dtype);
  return Bytes(a.backward ? 2 * once : once);
}

/// Share of the peak that a block reaches.
double share_of_peak(const Attention& a, const AttentionCurve& curve) {
  const double ceiling = a.backward ? curve.backward_ceiling : curve.forward_ceiling;
  const double keys = a.area / static_cast<double>(a.q_len);
  return ceiling * keys / (keys + curve.half_length + (a.causal ? curve.causal_waste : 0));
}

/// One query a sequence (decode) has a start of its own, and widens an 8-bit cache on the way.
Seconds flash_time(const Attention& a, Flops flops, const Accelerator& chip) {
  const AttentionCurve& curve = chip.attention;
  const bool narrow = bytes_of(a.kv_dtype) < 2;
  const double reads = narrow ? curve.decode_share_8bit : curve.decode_bandwidth_share;
  const Seconds memory = traffic(a) / (chip.memory_bandwidth * reads);
  const Seconds compute = flops / (peak_of(chip, a.dtype) * (share_of_peak(a, curve) * chip.sustained_clock));
  return std::max(compute, memory) + (a.q_len == 1 ? curve.decode_overhead : curve.overhead);
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
  return a.unfused ? unfused_time(a, chip) : flash_time(a, flops, chip);
}

}  // namespace stepsim
