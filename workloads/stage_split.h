#pragma once
// How the layers of a model spread over the virtual stages of a pipeline.

#include <string>

#include "workloads/layout.h"
#include "workloads/model.h"

namespace stepsim {

/// Why the layers can't be split as the layout asks, and what would be right; both empty if they can.
struct SplitProblem {
  std::string key, message, help;
};
SplitProblem stage_split_problem(const ModelSpec& model, const Layout& layout);

}  // namespace stepsim
