#pragma once
// From a scenario to what lowering reads.

#include "sim/scenario/scenario.h"
#include "workloads/lower.h"

namespace stepsim {

StepSpec step_spec(const Scenario& scenario);

}  // namespace stepsim
