#pragma once
// How long an actor's communications moved, and how much of that ran beside a kernel.

#include <array>

#include "sim/engine/timeline.h"

namespace stepsim {

struct CommTime {
  std::array<SimTime, kAxes> moving{};  ///< union of the times in which some communication of the axis moved
  std::array<SimTime, kAxes> hidden{};  ///< of it, beside a kernel (as Holistic Trace Analysis counts overlap)
};

CommTime comm_time(const StepGraph& graph, const Actor& actor);

}  // namespace stepsim
