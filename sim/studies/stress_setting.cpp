#include "sim/studies/stress_setting.h"

#include <algorithm>

namespace stepsim {
namespace {

/// Every setting once for each value of a list; an empty list leaves them as they are.
template <class T>
void cross(std::vector<StressSetting>& settings, const std::vector<T>& values, T StressSetting::*member) {
  if (values.empty()) return;
  std::vector<StressSetting> crossed;
  for (const StressSetting& setting : settings) {
    for (const T& value : values) {
      crossed.push_back(setting);
      crossed.back().*member = value;
    }
  }
  settings = std::move(crossed);
}

void slow_down(Perturbation& perturb, std::uint32_t rank, double slowdown) {
  auto& ranks = perturb.slow_ranks;
  ranks.erase(std::remove_if(ranks.begin(), ranks.end(), [&](const SlowRank& slow) { return slow.rank == rank; }),
              ranks.end());
  // A rank that is not slow must not break the folding of equal ranks.
  if (slowdown != 1) ranks.push_back({.rank = rank, .slowdown = slowdown});
}

LinkFault slower_class(const std::string& link_class, double factor) {
  LinkFault fault;
  fault.link_class = link_class;
  fault.bandwidth_factor = factor;
  return fault;
}

}  // namespace

const char* name_of(CausalBalance balance) { return balance == CausalBalance::zigzag ? "zigzag" : "contiguous"; }
const char* name_of(HopSync sync) { return sync == HopSync::lockstep ? "lockstep" : "eager"; }

StressSetting setting_of(const Scenario& scenario) {
  return {.seq_len = scenario.workload.seq_len,
          .hop_bandwidth = 1,
          .causal_balance = scenario.context_parallel.causal_balance,
          .hop_sync = scenario.context_parallel.hop_sync,
          .kernel_jitter = scenario.perturb.kernel_jitter_sigma,
          .hop_jitter = scenario.perturb.hop_jitter_sigma,
          .slowdown = 1};
}

std::vector<StressSetting> cross_settings(const Scenario& scenario) {
  std::vector<StressSetting> settings{setting_of(scenario)};
  if (!scenario.stress) return settings;
  const StressSpec& stress = *scenario.stress;
  cross(settings, stress.causal_balance, &StressSetting::causal_balance);
  cross(settings, stress.hop_sync, &StressSetting::hop_sync);
  cross(settings, stress.kernel_jitter, &StressSetting::kernel_jitter);
  cross(settings, stress.hop_jitter, &StressSetting::hop_jitter);
  if (stress.slow_rank) cross(settings, stress.slowdown, &StressSetting::slowdown);
  cross(settings, stress.hop_bandwidth, &StressSetting::hop_bandwidth);
  cross(settings, stress.seq_len, &StressSetting::seq_len);
  return settings;
}

Scenario at_setting(const Scenario& scenario, const StressSetting& setting,
                    const std::vector<std::string>& ring_classes) {
  Scenario here = scenario;
  here.workload.seq_len = setting.seq_len;
  here.context_parallel = {.causal_balance = setting.causal_balance, .hop_sync = setting.hop_sync};
  here.perturb.kernel_jitter_sigma = setting.kernel_jitter;
  here.perturb.hop_jitter_sigma = setting.hop_jitter;
  if (scenario.stress && scenario.stress->slow_rank) {
    slow_down(here.perturb, *scenario.stress->slow_rank, setting.slowdown);
  }
  if (setting.hop_bandwidth != 1) {
    for (const std::string& name : ring_classes) {
      here.cluster.faults.push_back(slower_class(name, setting.hop_bandwidth));
    }
  }
  return here;
}

}  // namespace stepsim
