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
  [[nodiscard]] bool accumulates_fp32() const { return gradient_dtype() == Dtype::fp32; }
};

}  // namespace stepsim
