#pragma once
// Runs a step on a cluster.

#include "sim/engine/accelerator.h"
#include "sim/engine/options.h"
#include "sim/engine/step_report.h"
#include "sim/engine/timeline.h"
#include "topology/fabric.h"
#include "workloads/step_graph.h"
#include "workloads/workload.h"

namespace stepsim {

/// Everything that a run reads.
struct Machine {
  const Fabric& fabric;
  const Accelerator& accelerator;
  const Stack& stack;
};

/// Plays the programs of all ranks (rank r on device r). Same input, same bytes. Throws SimError with the wait chain on
/// a deadlock or mismatched communication, and if two ranks that must talk can't reach each other.
Timeline simulate(const StepGraph& graph, const Machine& machine, const SimulationOptions& options,
                  const Perturbation& perturbation);

/// Where the time went, by the rule in docs/model.md (design.md section 4): an identity for every actor.
StepReport account(const StepGraph& graph, const Machine& machine, const Timeline& timeline);

}  // namespace stepsim
