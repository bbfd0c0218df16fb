#include "sim/studies/run_study.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/studies/play.h"

namespace stepsim {
namespace {

int stage_with_most_memory(const std::vector<MemoryUse>& stages) {
  sim_assert(!stages.empty(), "lowering gave no memory use: report the scenario");
  const auto less = [](const MemoryUse& a, const MemoryUse& b) { return a.total() < b.total(); };
  return static_cast<int>(std::max_element(stages.begin(), stages.end(), less) - stages.begin());
}

}  // namespace

RunResult run_study(const Scenario& scenario) {
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  const StepGraph graph = graph_of(scenario, fabric->devices());
  RunResult result;
  result.scenario = scenario;
  result.report = play(scenario, *fabric, graph).report;
  result.ranks = graph.grid.ranks();
  result.microbatches = graph.microbatches;
  result.tokens = graph.tokens;
  result.model_flops = graph.model_flops;
  result.recompute_used = graph.recompute_used;
  result.memory_stage = stage_with_most_memory(graph.memory_of_stage);
  result.memory = graph.memory_of_stage[static_cast<std::size_t>(result.memory_stage)];
  return result;
}

}  // namespace stepsim
