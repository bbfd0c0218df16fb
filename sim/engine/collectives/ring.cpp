#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape&) {
  return comm.kind == CommKind::all_reduce || comm.kind == CommKind::all_gather ||
         comm.kind == CommKind::reduce_scatter || comm.kind == CommKind::broadcast;
}

// Thakur, Rabenseifner, Gropp, IJHPCA 2005, section 4: ring AllGather and ReduceScatter move (n-1)/n S, AllReduce both.
// Where a group spans nodes, one ring for each member of a node shares the payload.
std::vector<Phase> phases(const Comm& comm, const GroupShape& shape) {
  const std::int64_t n = shape.members, rings = shape.nodes > 1 ? shape.in_node : 1;
  switch (comm.kind) {
    case CommKind::all_reduce:
      return {{.pattern = FlowPattern::ring, .numerator = 2 * (n - 1), .denominator = n * rings, .trips = 2}};
    case CommKind::broadcast:
      return {{.pattern = FlowPattern::ring, .denominator = rings, .trips = 1}};
    default:
      return {{.pattern = FlowPattern::ring, .numerator = n - 1, .denominator = n * rings, .trips = 1}};
  }
}

}  // namespace

const Algorithm kRing{"ring", "once or twice round a ring", true, fits, phases};

}  // namespace stepsim
