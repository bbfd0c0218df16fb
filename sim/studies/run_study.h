#pragma once
// `stepsim run`: one scenario, simulated once.

#include <string>

#include "sim/engine/step_report.h"
#include "sim/scenario/scenario.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// A run and all that its report needs: the scenario, facts of its work, and where the time went.
struct RunResult {
  Scenario scenario;
  StepReport report;
  int ranks = 1;
  int microbatches = 1;
  double tokens = 0;           ///< of the whole step
  Flops model_flops;           ///< of the whole step, recompute not counted
  std::string recompute_used;  ///< what `recompute: auto` became
  MemoryUse memory;            ///< of the stage that needs most
  int memory_stage = 0;        ///< which one that is
  Seconds wall_time;           ///< of the program itself, set by the caller that holds a clock

  [[nodiscard]] bool fits() const { return memory.total() <= scenario.accelerator.memory_capacity; }
  [[nodiscard]] Seconds step() const { return to_seconds(report.step); }
};

/// Pure. Throws SimError if the scenario can't be run.
RunResult run_study(const Scenario& scenario);

}  // namespace stepsim
