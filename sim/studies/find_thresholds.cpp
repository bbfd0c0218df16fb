#include "sim/studies/find_thresholds.h"

#include <algorithm>
#include <tuple>

#include "sim/base/error.h"
#include "sim/studies/closed_form.h"
#include "sim/studies/play.h"
#include "sim/studies/threshold.h"

namespace stepsim {
namespace {

constexpr long long kMostTokens = 1LL << 24;  // 16 M tokens a sequence: beyond any context in use
// Up to 32 times an NVLink of 1.8 TB/s, which is still a bandwidth that a cluster may have.
constexpr double kLeastFactor = 1.0 / 4096, kMostFactor = 32;

using Key = std::tuple<int, double, CausalBalance, HopSync, double>;
Key key_of(const StressSetting& s) { return {s.seq_len, s.hop_bandwidth, s.causal_balance, s.hop_sync, s.slowdown}; }

StressSetting without(const std::string& key, StressSetting setting, const StressSetting& nominal) {
  setting.kernel_jitter = setting.hop_jitter = 0;
  if (key == "seq_len") setting.seq_len = nominal.seq_len;
  if (key == "hop_bandwidth") setting.hop_bandwidth = 1;
  return setting;
}

double margin_at(const Scenario& base, const StressSetting& setting, const std::vector<std::string>& classes) {
  const Scenario scenario = at_setting(base, setting, classes);
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  const StepGraph graph = graph_of(scenario, fabric->devices());
  const std::optional<RingStep> ring = tightest_ring_step(graph, play(scenario, *fabric, graph).timeline);
  if (!ring) throw SimError("stress: no ring hop runs beside an attention kernel in this scenario");
  return ring->margin();
}

/// What the ring divides a sequence into: zigzag gives each rank two chunks.
long long grain_of(const Scenario& scenario) { return 2LL * scenario.layout.cp; }

Solved solve(const Scenario& base, const ThresholdTask& task, const std::vector<std::string>& classes) {
  StressSetting setting = task.setting;
  if (task.key == "seq_len") {
    const auto margin = [&](double tokens) {
      setting.seq_len = static_cast<int>(tokens);
      return margin_at(base, setting, classes);
    };
    return solve_whole(margin, grain_of(base), task.setting.seq_len, kMostTokens);
  }
  const auto margin = [&](double factor) {
    setting.hop_bandwidth = factor;
    return margin_at(base, setting, classes);
  };
  return solve_factor(margin, kLeastFactor, kMostFactor);
}

/// How much slower the rank is that sets the pace: with contiguous balance the last of the ring, whoever is slow.
double pace_slowdown(const Scenario& scenario, const StressSetting& setting) {
  if (!scenario.stress->slow_rank) return 1;
  const int place = RankGrid(scenario.layout).coords(RankId(*scenario.stress->slow_rank)).cp;
  const bool sets_pace = setting.causal_balance == CausalBalance::zigzag || place == scenario.layout.cp - 1;
  return sets_pace ? std::max(1.0, setting.slowdown) : 1;
}

std::optional<double> closed_form(const Scenario& base, const ThresholdTask& task,
                                  const std::vector<std::string>& classes) {
  const Scenario scenario = at_setting(base, task.setting, classes);
  const std::optional<BytesPerSecond> bandwidth = ring_bandwidth(*fabric_of(scenario), RankGrid(scenario.layout));
  if (!bandwidth) return std::nullopt;
  const double slowdown = pace_slowdown(scenario, task.setting);
  if (task.key == "seq_len") return hiding_seq_len(scenario, *bandwidth, slowdown);
  const std::optional<BytesPerSecond> needed = hiding_bandwidth(scenario, slowdown);
  return needed ? std::optional<double>(*needed / *bandwidth) : std::nullopt;
}

}  // namespace

std::vector<ThresholdTask> threshold_tasks(const Scenario& scenario, const std::vector<StressSetting>& settings) {
  std::vector<ThresholdTask> tasks;
  for (const std::string& key : scenario.stress->find) {
    std::vector<Key> seen;
    for (const StressSetting& point : settings) {
      const StressSetting setting = without(key, point, setting_of(scenario));
      if (std::find(seen.begin(), seen.end(), key_of(setting)) != seen.end()) continue;
      seen.push_back(key_of(setting));
      tasks.push_back({.key = key, .setting = setting});
    }
  }
  return tasks;
}

StressThreshold find_threshold(const Scenario& scenario, const ThresholdTask& task,
                               const std::vector<std::string>& ring_classes) {
  const Solved solved = solve(scenario, task, ring_classes);
  return {.key = task.key,
          .setting = task.setting,
          .simulated = solved.value,
          .closed_form = closed_form(scenario, task, ring_classes),
          .note = solved.note};
}

}  // namespace stepsim
