#include "sim/engine/collectives/group_shape.h"

namespace stepsim {

namespace {

bool same_node(const Fabric& fabric, RankId a, RankId b) {
  return fabric.common_level(DeviceId(a.index()), DeviceId(b.index())) == 0;
}

/// Members of the first node, if every run of that many is one node and neighbours of runs are not.
std::size_t members_of_a_node(const std::vector<RankId>& m, const Fabric& fabric) {
  std::size_t together = 1;
  while (together < m.size() && same_node(fabric, m[0], m[together])) ++together;
  if (m.size() % together != 0) return 0;
  for (std::size_t i = 1; i < m.size(); ++i) {
    if (same_node(fabric, m[i], m[i - 1]) != (i % together != 0)) return 0;
  }
  return together;
}

}  // namespace

GroupShape shape_of(const std::vector<RankId>& members, const Fabric& fabric) {
  GroupShape shape;
  shape.members = static_cast<std::int64_t>(members.size());
  const auto together = static_cast<std::int64_t>(members_of_a_node(members, fabric));
  shape.regular = together > 0;
  shape.in_node = shape.regular ? together : 1;
  shape.nodes = shape.members / shape.in_node;
  shape.in_network = shape.nodes == 1 && fabric.reduces_in_network(0);
  return shape;
}

}  // namespace stepsim
