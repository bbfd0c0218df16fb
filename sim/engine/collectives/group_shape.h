#pragma once
// How a group lies on the cluster.

#include <vector>

#include "sim/base/ids.h"
#include "topology/fabric.h"

namespace stepsim {

/// A node is a group of the innermost level. `regular`: every node that the group touches holds the same number of its
/// members, and they follow each other in ring order.
struct GroupShape {
  std::int64_t members = 1;
  std::int64_t nodes = 1;
  std::int64_t in_node = 1;  ///< members in each node; with an irregular group 1
  bool regular = true;
  bool in_network = false;  ///< switches of the innermost level reduce and copy (NVLS)
};

GroupShape shape_of(const std::vector<RankId>& members, const Fabric& fabric);

}  // namespace stepsim
