#include "sim/studies/play.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "workloads/layout_rules.h"

namespace stepsim {
namespace {

std::string all_findings(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& item : diagnostics.all()) {
    if (!text.empty()) text += '\n';
    text += item.message;
    if (!item.help.empty()) text += fmt::format(" (help: {})", item.help);
  }
  return text;
}

std::string all_problems(const std::vector<LayoutProblem>& problems) {
  std::string text;
  for (const LayoutProblem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: {}", problem.key, problem.message);
    if (!problem.help.empty()) text += fmt::format(" (help: {})", problem.help);
  }
  return text;
}

}  // namespace

std::unique_ptr<Fabric> fabric_of(const Scenario& scenario) {
  Diagnostics diagnostics;
  std::unique_ptr<Fabric> fabric = build_fabric(scenario.cluster, diagnostics);
  if (!fabric) throw SimError(fmt::format("the cluster can't be built: {}", all_findings(diagnostics)));
  return fabric;
}

StepGraph graph_of(const Scenario& scenario, std::size_t devices) {
  const StepSpec spec = step_spec(scenario);
  const std::vector<LayoutProblem> problems = layout_problems(spec, devices);
  if (!problems.empty()) throw SimError(all_problems(problems));
  return lower(spec);
}

Played play(const Scenario& scenario, const Fabric& fabric, const StepGraph& graph) {
  const Machine machine{.fabric = fabric, .accelerator = scenario.accelerator, .stack = scenario.stack};
  Timeline timeline = simulate(graph, machine, scenario.simulation, scenario.perturb);
  StepReport report = account(graph, machine, timeline);
  return {.timeline = std::move(timeline), .report = std::move(report)};
}

}  // namespace stepsim
