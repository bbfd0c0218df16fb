#pragma once
// How a ring hop of context parallelism compares with the attention that should hide it, read off a timeline.

#include <optional>

#include "sim/base/units.h"
#include "sim/engine/timeline.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// The ring step with the least room: means over layers and microbatches.
/// block: attention of that step on the rank that sets the pace (the one with most attention time).
/// hop: the slowest rank's hop of that step; a lockstep ring waits for it.
struct RingStep {
  Seconds hop, block;
  /// Room left: (block - hop) / block. Below 0 the hop sticks out.
  [[nodiscard]] double margin() const { return (block - hop) / block; }
};

/// Empty if nothing in the timeline is a hop beside an attention kernel.
std::optional<RingStep> tightest_ring_step(const StepGraph& graph, const Timeline& timeline);

}  // namespace stepsim
