#pragma once
// The spine: a scenario becomes a fabric, a graph of work, a timeline and a report.

#include <memory>

#include "sim/engine/simulate.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/step_spec.h"
#include "workloads/lower.h"

namespace stepsim {

/// The cluster of a scenario. Throws SimError with every finding if it can't be built.
std::unique_ptr<Fabric> fabric_of(const Scenario& scenario);

/// The work of a scenario. Throws SimError naming every broken rule if the layout is impossible on `devices`.
StepGraph graph_of(const Scenario& scenario, std::size_t devices);

/// One simulated run of a scenario on parts that several runs may share.
struct Played {
  Timeline timeline;
  StepReport report;
};
Played play(const Scenario& scenario, const Fabric& fabric, const StepGraph& graph);

}  // namespace stepsim
