#pragma once
// One point of a stress sweep, and how it changes a scenario.

#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace stepsim {

struct StressSetting {
  int seq_len = 0;
  double hop_bandwidth = 1;  ///< factor of the nominal bandwidth of the ring's links
  CausalBalance causal_balance = CausalBalance::zigzag;
  HopSync hop_sync = HopSync::lockstep;
  double kernel_jitter = 0, hop_jitter = 0;  ///< sigma
  double slowdown = 1;                       ///< of the slow rank
};

const char* name_of(CausalBalance balance);
const char* name_of(HopSync sync);

/// The setting of a scenario as its file describes it.
StressSetting setting_of(const Scenario& scenario);

/// All lists of `stress:` crossed, the first key slowest; a key without a list keeps the scenario's value.
std::vector<StressSetting> cross_settings(const Scenario& scenario);

/// The scenario at a point. `ring_classes`: link classes that the hops use, which hop_bandwidth slows.
Scenario at_setting(const Scenario& scenario, const StressSetting& setting,
                    const std::vector<std::string>& ring_classes);

}  // namespace stepsim
