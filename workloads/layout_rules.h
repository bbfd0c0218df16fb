#pragma once
// Which layouts are possible: what must divide what.

#include <string>
#include <vector>

#include "workloads/lower.h"

namespace stepsim {

/// One broken rule. `key` is the scenario key to blame, as a path: "layout.tp", "workload.global_batch".
struct LayoutProblem {
  std::string key;
  std::string message;  ///< "tp 6 does not divide the 64 heads"
  std::string help;     ///< "tp can be 1, 2, 4, 8, 16, 32 or 64"
};

/// All broken rules, [] if the layout can be lowered. `devices`: accelerators of the cluster (ranks must equal them).
std::vector<LayoutProblem> layout_problems(const StepSpec& spec, std::size_t devices);

/// Layers of each virtual stage in pipeline order (pp * virtual_stages entries; the embedding and the loss are not
/// counted as layers here). Needs a layout without problems. dualpipe: stage i of rank i and of rank pp-1-i.
std::vector<int> layers_of_stages(const ModelSpec& model, const Layout& layout);

}  // namespace stepsim
