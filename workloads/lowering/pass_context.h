#pragma once
// What the lowering of every part of a pass needs.

#include "workloads/lowering/dims.h"
#include "workloads/lowering/emitter.h"
#include "workloads/lowering/kernels.h"

namespace stepsim {

/// Ranks that run the same program. `cp_rank` matters with a contiguous causal split, `expert_load` (tokens of this
/// rank's experts over the mean) with unbalanced routing.
struct RankClass {
  int pipeline_rank = 0;
  int cp_rank = 0;
  double expert_load = 1;
};

struct PassContext {
  const StepSpec& spec;
  const Dims& dims;
  const RankClass& who;
  Emitter& emit;

  [[nodiscard]] const ModelSpec& model() const { return spec.model; }
  /// Weight gradients are added to buffers of this type.
  [[nodiscard]] Dtype gradient_dtype() const {
    return spec.workload.gradient_dtype.value_or(spec.stack.gradient_dtype);
  }
  /// Of the linear layers that keep the activations' dtype where the others run in 8 bits: router and output projection
  /// (DeepSeek-V3, arXiv 2412.19437, section 3.3.1).
  [[nodiscard]] Dtype unquantised() const {
    const Precision& p = spec.workload.precision;
    return bytes_per_element(p.gemm) < bytes_per_element(p.activations) ? p.activations : p.gemm;
  }
  [[nodiscard]] bool accumulates_fp32() const { return gradient_dtype() == Dtype::fp32; }
};

}  // namespace stepsim
