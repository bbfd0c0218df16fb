#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape& shape) {
  return comm.kind == CommKind::all_reduce && shape.regular && shape.nodes > 1;
}

// Each of the two trees reduces half of the payload to its root and sends it back down (Sanders, Speck, Traeff 2009);
// where nodes have several members each has its own pair of trees and its share of the payload.
std::vector<Phase> phases(const Comm&, const GroupShape& shape) {
  return {{.pattern = FlowPattern::tree, .denominator = 2 * shape.in_node, .trips = 2}};
}

}  // namespace

const Algorithm kTree{"tree", "two binary trees over the nodes, chains inside", true, fits, phases};

}  // namespace stepsim
