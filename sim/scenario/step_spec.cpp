#include "sim/scenario/step_spec.h"

namespace stepsim {

StepSpec step_spec(const Scenario& scenario) {
  return {.model = scenario.model,
          .layout = scenario.layout,
          .workload = scenario.workload,
          .overlap = scenario.overlap,
          .context_parallel = scenario.context_parallel,
          .stack = scenario.stack,
          .memory_capacity = scenario.accelerator.memory_capacity};
}

}  // namespace stepsim
