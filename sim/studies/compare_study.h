#pragma once
// `stepsim compare`: several layouts, ranked by the step time that the simulator gives them.

#include <string>
#include <vector>

#include "sim/studies/run_study.h"

namespace stepsim {

struct ComparedLayout {
  std::string label;
  RunResult run;
};

/// Fastest first; equals keep the order in which they were given.
struct Comparison {
  std::vector<ComparedLayout> ranked;
};

/// The variants of `layouts:` as scenarios of their own; the scenario itself where it has none.
std::vector<Scenario> expand_layouts(const Scenario& scenario);

/// Runs every variant of every scenario. Throws SimError if one of them can't be run.
Comparison compare_study(const std::vector<Scenario>& scenarios);

/// a - b, part by part.
MeanParts difference(const MeanParts& a, const MeanParts& b);

}  // namespace stepsim
