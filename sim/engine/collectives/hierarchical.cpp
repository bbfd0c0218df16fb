#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape& shape) {
  return comm.kind == CommKind::all_reduce && shape.regular && shape.nodes > 1 && shape.in_node > 1;
}

// With g members in each of N nodes: (g-1)/g S in the node, 2 (N-1)/N of S/g across on every rail, (g-1)/g S in the
// node.
std::vector<Phase> phases(const Comm&, const GroupShape& shape) {
  const std::int64_t g = shape.in_node, nodes = shape.nodes;
  const Phase inside{.pattern = FlowPattern::node_ring, .numerator = g - 1, .denominator = g, .trips = 1};
  return {inside,
          {.pattern = FlowPattern::rail_ring, .numerator = 2 * (nodes - 1), .denominator = nodes * g, .trips = 2},
          inside};
}

}  // namespace

const Algorithm kHierarchical{"hierarchical", "ReduceScatter in the node, AllReduce across, AllGather in the node",
                              false, fits, phases};

}  // namespace stepsim
