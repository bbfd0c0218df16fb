#pragma once
// Flops that the model needs for a step, recompute not counted (design.md section 7).

#include "workloads/lower.h"

namespace stepsim {

/// Training: 3 x (2 (active parameters - input embedding) tokens + the causal half of attention); a tied output
/// projection counts as the matrix that it is. Prefill and decode: the forward pass only, logits of one position a
/// sequence.
Flops model_flops(const StepSpec& spec);
/// Tokens that the whole step handles; decode: one for each sequence.
double tokens_of_step(const StepSpec& spec);

}  // namespace stepsim
