#pragma once
// `stepsim stress`: does the ring hop hide behind attention, by what margin, and what breaks that.

#include <optional>
#include <string>
#include <vector>

#include "sim/studies/parallel.h"
#include "sim/studies/ring_step.h"
#include "sim/studies/stress_setting.h"

namespace stepsim {

/// Over the seeds of one point. `bad`: the end that hurts, at 95 % of the seeds (nearest rank).
struct Spread {
  double mean = 0, bad = 0;
};

struct StressPoint {
  StressSetting setting;
  int seeds = 1;
  Seconds hop, block;   ///< of the tightest ring step, mean over seeds
  Spread margin;        ///< (block - hop) / block; bad: 5th percentile
  Spread hidden;        ///< share of the hops' time hidden by compute; bad: 5th percentile
  Spread exposed_cp_s;  ///< mean over ranks, a step; bad: 95th percentile
  Spread step_s;        ///< bad: 95th percentile
};

/// A solved threshold: at `setting`, the value of `key` at which the hop stops hiding.
struct StressThreshold {
  std::string key;                  ///< seq_len (tokens) or hop_bandwidth (factor)
  StressSetting setting;            ///< its own key is what was solved for
  std::optional<double> simulated;  ///< empty: see note
  std::optional<double> closed_form;
  std::string note;  ///< "always hides", "never hides"
};

struct StressResult {
  Scenario scenario;
  std::vector<std::string> ring_classes;
  std::vector<StressPoint> points;
  std::vector<StressThreshold> thresholds;
};

/// Runs every point, some side by side; the result does not depend on how many cores there are. Throws SimError.
StressResult stress_study(const Scenario& scenario, const Progress& progress = {});

}  // namespace stepsim
