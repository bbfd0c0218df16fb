#pragma once
// Who sends to whom in one phase of a communication.

#include <cstdint>
#include <functional>

#include "sim/engine/collectives/group_shape.h"

namespace stepsim {

enum class FlowPattern : std::uint8_t {
  ring,  ///< member i to i+1; where a group spans nodes, one ring for each member of a node, each leaving it elsewhere
  tree,  ///< two binary trees over the nodes, chains inside them, both directions (one pair of trees for each member of
         ///< a node)
  exchange,    ///< member i with i xor 2^round
  node_ring,   ///< a ring inside each node
  rail_ring,   ///< members of equal place in their nodes, node to node, in a ring
  all_pairs,   ///< every member to every other
  node_pairs,  ///< every member to every other of its node
  rail_pairs,  ///< every member to its counterparts in all other nodes
  scalar,      ///< recursive doubling of a few bytes: latency only
  pair,        ///< one sender, one receiver: a ring hop or a pipeline message
};

/// Calls visit(from, to) with places in the group for each flow; the same pair may come several times.
void for_each_flow(FlowPattern pattern, int round, const GroupShape& shape,
                   const std::function<void(std::size_t, std::size_t)>& visit);

}  // namespace stepsim
