#pragma once
// `find:` of a stress sweep.

#include <string>
#include <vector>

#include "sim/studies/stress_study.h"

namespace stepsim {

/// Solve for `key` with everything else as in `setting`.
struct ThresholdTask {
  std::string key;
  StressSetting setting;
};

/// One task for each key of `find:` and each different setting of the other keys, jitter left out.
std::vector<ThresholdTask> threshold_tasks(const Scenario& scenario, const std::vector<StressSetting>& settings);

StressThreshold find_threshold(const Scenario& scenario, const ThresholdTask& task,
                               const std::vector<std::string>& ring_classes);

}  // namespace stepsim
