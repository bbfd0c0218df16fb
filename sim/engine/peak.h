#pragma once
// Peak rate of an accelerator for a dtype.

#include "sim/engine/accelerator.h"

namespace stepsim {

/// fp16 and bf16 stand in for each other: tensor cores run both at one rate (NVIDIA data sheets). Throws SimError,
/// naming what there is, if the accelerator has no peak for the dtype.
FlopsPerSecond peak_of(const Accelerator& chip, Dtype dtype);

/// The GEMM curve of a dtype, or the generic one.
GemmCurve gemm_curve_of(const Accelerator& chip, Dtype dtype);

}  // namespace stepsim
