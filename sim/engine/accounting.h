#pragma once
// Splits an actor's step into compute, exposed communication, bubble, peer wait and host.

#include "sim/engine/step_report.h"
#include "sim/engine/timeline.h"

namespace stepsim {

/// The parts sum to timeline.end to the picosecond.
Parts account_actor(const StepGraph& graph, const Timeline& timeline, const Actor& actor);

}  // namespace stepsim
