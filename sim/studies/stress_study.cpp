#include "sim/studies/stress_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/studies/find_thresholds.h"
#include "sim/studies/play.h"

namespace stepsim {
namespace {

struct Samples {
  std::vector<double> hop, block, margin, hidden, exposed, step;
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Nearest-rank percentile.
double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

Spread bad_if_high(const std::vector<double>& v) { return {.mean = mean(v), .bad = percentile(v, 0.95)}; }
Spread bad_if_low(const std::vector<double>& v) { return {.mean = mean(v), .bad = percentile(v, 0.05)}; }

void add_sample(Samples& samples, const StepGraph& graph, const Played& played) {
  constexpr auto kCp = static_cast<std::size_t>(Axis::cp);
  const std::optional<RingStep> ring = tightest_ring_step(graph, played.timeline);
  if (!ring) throw SimError("stress: no ring hop runs beside an attention kernel in this scenario");
  samples.hop.push_back(ring->hop.value());
  samples.block.push_back(ring->block.value());
  samples.margin.push_back(ring->margin());
  samples.hidden.push_back(played.report.axes[kCp].hidden_fraction);
  samples.exposed.push_back(played.report.mean.exposed[kCp].value());
  samples.step.push_back(to_seconds(played.report.step).value());
}

/// Seeds differ only where something is drawn.
int seeds_at(const Scenario& scenario, const StressSetting& setting) {
  const bool draws = setting.kernel_jitter > 0 || setting.hop_jitter > 0;
  return draws && scenario.stress ? std::max(1, scenario.stress->seeds) : 1;
}

StressPoint run_point(const Scenario& base, const StressSetting& setting, const std::vector<std::string>& classes) {
  Scenario scenario = at_setting(base, setting, classes);
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  const StepGraph graph = graph_of(scenario, fabric->devices());
  Samples samples;
  const int seeds = seeds_at(base, setting);
  for (int i = 0; i < seeds; ++i) {
    scenario.simulation.seed = base.simulation.seed + static_cast<std::uint64_t>(i);
    add_sample(samples, graph, play(scenario, *fabric, graph));
  }
  return {.setting = setting,
          .seeds = seeds,
          .hop = Seconds(mean(samples.hop)),
          .block = Seconds(mean(samples.block)),
          .margin = bad_if_low(samples.margin),
          .hidden = bad_if_low(samples.hidden),
          .exposed_cp_s = bad_if_high(samples.exposed),
          .step_s = bad_if_high(samples.step)};
}

void require_ring(const Scenario& scenario) {
  if (!scenario.stress) throw SimError("stress: the file has no section 'stress:' to sweep");
  if (scenario.layout.cp < 2) throw SimError("stress: there is no ring with layout.cp 1 (help: set cp to 2 or more)");
  if (scenario.workload.kind == WorkloadKind::decode) {
    throw SimError("stress: a decode step has no ring hops (help: kind can be prefill or training)");
  }
}

std::vector<std::string> classes_of_ring(const Scenario& scenario) {
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  const Played played = play(scenario, *fabric, graph_of(scenario, fabric->devices()));
  return played.report.axes[static_cast<std::size_t>(Axis::cp)].link_classes;
}

}  // namespace

StressResult stress_study(const Scenario& scenario, const Progress& progress) {
  require_ring(scenario);
  StressResult result;
  result.scenario = scenario;
  result.ring_classes = classes_of_ring(scenario);
  const std::vector<StressSetting> settings = cross_settings(scenario);
  const std::vector<ThresholdTask> finds = threshold_tasks(scenario, settings);
  const std::size_t all = settings.size() + finds.size();
  const auto shifted = [&](std::size_t before) -> Progress {
    if (!progress) return {};
    return [&progress, before, all](std::size_t done, std::size_t) { progress(before + done, all); };
  };
  result.points = run_in_parallel<StressPoint>(
      settings.size(), [&](std::size_t i) { return run_point(scenario, settings[i], result.ring_classes); },
      shifted(0));
  result.thresholds = run_in_parallel<StressThreshold>(
      finds.size(), [&](std::size_t i) { return find_threshold(scenario, finds[i], result.ring_classes); },
      shifted(settings.size()));
  return result;
}

}  // namespace stepsim
