#pragma once
// The algorithm of a collective.

#include <functional>
#include <string>
#include <vector>

#include "sim/engine/traffic.h"

namespace stepsim {

/// Makes the bundle of a pattern on a group (it may keep them).
using BundleOf = std::function<const FlowBundle&(const FlowKey&, const std::vector<RankId>&)>;

/// The fastest of the automatic algorithms that fit `comm` on `members`, nothing else on the links; `wanted` forces the
/// algorithm of AllReduce where it fits. Throws InternalError if none fits.
const Algorithm* choose_algorithm(const Comm& comm, const std::vector<RankId>& members, const GroupShape& shape,
                                  const std::string& wanted, const Fabric& fabric, const BundleOf& bundle_of);

}  // namespace stepsim
