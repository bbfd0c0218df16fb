#include "sim/studies/compare_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/studies/parallel.h"

namespace stepsim {
namespace {

struct Candidate {
  std::string label;
  Scenario scenario;
};

std::string describe_layout(const Layout& layout) {
  std::string text = fmt::format("tp {} cp {} pp {} dp {}", layout.tp, layout.cp, layout.pp, layout.dp);
  if (layout.ep > 1) text += fmt::format(" ep {}", layout.ep);
  if (layout.virtual_stages > 1) text += fmt::format(" v {}", layout.virtual_stages);
  return text;
}

std::vector<Candidate> candidates_of(const std::vector<Scenario>& scenarios) {
  std::vector<Candidate> candidates;
  for (const Scenario& scenario : scenarios) {
    const std::vector<Scenario> variants = expand_layouts(scenario);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      std::string label = scenario.layouts.empty() ? "" : scenario.layouts[i].label;
      if (label.empty()) label = describe_layout(variants[i].layout);
      if (scenarios.size() > 1) label = fmt::format("{}: {}", scenario.title, label);
      candidates.push_back({.label = std::move(label), .scenario = variants[i]});
    }
  }
  return candidates;
}

ComparedLayout run_candidate(const Candidate& candidate) {
  try {
    return {.label = candidate.label, .run = run_study(candidate.scenario)};
  } catch (const SimError& error) {
    throw SimError(fmt::format("{}: {}", candidate.label, error.what()));
  }
}

}  // namespace

std::vector<Scenario> expand_layouts(const Scenario& scenario) {
  if (scenario.layouts.empty()) return {scenario};
  std::vector<Scenario> variants;
  for (const LayoutVariant& variant : scenario.layouts) {
    Scenario one = scenario;
    one.layout = variant.layout;
    one.workload = variant.workload;
    one.layouts.clear();
    variants.push_back(std::move(one));
  }
  return variants;
}

Comparison compare_study(const std::vector<Scenario>& scenarios) {
  const std::vector<Candidate> candidates = candidates_of(scenarios);
  Comparison comparison;
  comparison.ranked =
      run_in_parallel<ComparedLayout>(candidates.size(), [&](std::size_t i) { return run_candidate(candidates[i]); });
  std::stable_sort(
      comparison.ranked.begin(), comparison.ranked.end(),
      [](const ComparedLayout& a, const ComparedLayout& b) { return a.run.report.step < b.run.report.step; });
  return comparison;
}

MeanParts difference(const MeanParts& a, const MeanParts& b) {
  MeanParts parts;
  parts.compute = a.compute - b.compute;
  for (std::size_t axis = 0; axis < kAxes; ++axis) parts.exposed[axis] = a.exposed[axis] - b.exposed[axis];
  parts.bubble = a.bubble - b.bubble;
  parts.peer_wait = a.peer_wait - b.peer_wait;
  parts.host = a.host - b.host;
  parts.slowed_by_comm = a.slowed_by_comm - b.slowed_by_comm;
  return parts;
}

}  // namespace stepsim
