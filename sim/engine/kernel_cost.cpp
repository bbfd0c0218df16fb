#include "sim/engine/kernel_cost.h"

#include <algorithm>

#include "sim/engine/attention_cost.h"
#include "sim/engine/gemm_cost.h"
#include "sim/engine/peak.h"

namespace stepsim {

namespace {

/// Norms, activations and other streaming kernels: bytes over the bandwidth that streaming reaches, and start and end.
Seconds memory_time(const MemoryOp& op, const Accelerator& chip) {
  return op.traffic / (chip.memory_bandwidth * chip.memory_efficiency) + chip.memory_overhead;
}

/// The ideal chip runs at peak, and memory costs nothing.
Seconds ideal_time(const Kernel& kernel, const Accelerator& chip) {
  if (std::holds_alternative<MemoryOp>(kernel.work)) return Seconds(0);
  const auto* gemm = std::get_if<Gemm>(&kernel.work);
  return kernel.flops / peak_of(chip, gemm != nullptr ? gemm->dtype : std::get<Attention>(kernel.work).dtype);
}

}  // namespace

Seconds kernel_time(const Kernel& kernel, const Accelerator& chip) {
  if (chip.ideal) return ideal_time(kernel, chip);
  if (const auto* gemm = std::get_if<Gemm>(&kernel.work)) return gemm_time(*gemm, chip);
  if (const auto* attention = std::get_if<Attention>(&kernel.work))
    return attention_time(*attention, kernel.flops, chip);
  return memory_time(std::get<MemoryOp>(kernel.work), chip);
}

}  // namespace stepsim
