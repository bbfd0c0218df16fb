#pragma once
// Bytes that a rank holds at the peak of a step.

#include <vector>

#include "workloads/lower.h"

namespace stepsim {

/// By pipeline rank; on each the rank with the most. Uses spec.workload.recompute as given (not auto_).
std::vector<MemoryUse> memory_by_stage(const StepSpec& spec);

/// The least recompute whose memory fits spec.memory_capacity on every stage; full where none fits.
Recompute least_recompute_that_fits(const StepSpec& spec);

}  // namespace stepsim
