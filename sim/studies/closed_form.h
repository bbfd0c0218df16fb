#pragma once
// Where a ring hop stops hiding, by formula: the figure that a simulated threshold is printed beside.

#include <optional>

#include "sim/scenario/scenario.h"
#include "topology/fabric.h"
#include "workloads/rank_grid.h"

namespace stepsim {

/// Capacity of the slowest link between neighbours of rank 0's ring, nobody else on it. Empty: no limit.
std::optional<BytesPerSecond> ring_bandwidth(const Fabric& fabric, const RankGrid& grid);

/// Fewest new tokens of a sequence at which the hop hides, at the accelerator's peak and without latency.
/// Empty where the formula does not hold (MLA, no peak for the dtype, cached tokens with contiguous balance).
std::optional<double> hiding_seq_len(const Scenario& scenario, BytesPerSecond bandwidth, double slowdown);

/// Least bandwidth at which the hop hides at the scenario's length; under the same conditions.
std::optional<BytesPerSecond> hiding_bandwidth(const Scenario& scenario, double slowdown);

}  // namespace stepsim
