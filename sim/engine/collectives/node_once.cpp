#include <algorithm>
#include <cmath>

#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

/// Only where the routing limits the nodes of a token: then the software is one that sends a token once to each.
bool fits(const Comm& comm, const GroupShape& shape) {
  return comm.kind == CommKind::all_to_all && comm.nodes_per_token > 0 && shape.regular && shape.nodes > 1 &&
         shape.in_node > 1;
}

/// Nodes that the k experts of a token lie in, of N: N (1 - (1 - 1/N)^k) where they are drawn evenly, at most the
/// limit.
double nodes_of_token(const Comm& comm, const GroupShape& shape) {
  const auto nodes = static_cast<double>(shape.nodes);
  return std::min<double>(comm.nodes_per_token, nodes * (1 - std::pow(1 - 1 / nodes, comm.copies)));
}

// DeepEP's normal mode (DeepSeek-V3, arXiv 2412.19437, section 3.2.2): a token goes once to the rank of equal place in
// each of its nodes over the network, and from there over NVLink to the ranks of its experts; the two run as a
// pipeline. The payload is k copies of each token, the own share taken out: one copy is n/((n-1) k) of it.
std::vector<Phase> phases(const Comm& comm, const GroupShape& shape) {
  constexpr std::int64_t kScale = 1 << 20;
  const auto n = static_cast<double>(shape.members), nodes = static_cast<double>(shape.nodes);
  const double one_copy = n / ((n - 1) * comm.copies);
  const double across = one_copy * nodes_of_token(comm, shape) / nodes;               // to each other node
  const double inside = one_copy * comm.copies / static_cast<double>(shape.in_node);  // to each other rank of a node
  return {{.pattern = FlowPattern::rail_pairs,
           .numerator = std::llround(across * kScale),
           .denominator = kScale,
           .hops = 1},
          {.pattern = FlowPattern::node_pairs,
           .numerator = std::llround(inside * kScale),
           .denominator = kScale,
           .hops = 1,
           .beside_previous = true}};
}

}  // namespace

const Algorithm kNodeOnce{"node_once", "a token once to each node, then fanned out inside (DeepEP)", true, fits,
                          phases};

}  // namespace stepsim
