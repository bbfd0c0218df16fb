#include "sim/engine/collectives/patterns.h"

namespace stepsim {

namespace {

using Visit = std::function<void(std::size_t, std::size_t)>;

/// Sizes of a group as indices.
struct Sizes {
  explicit Sizes(const GroupShape& shape)
      : members(static_cast<std::size_t>(shape.members)),
        nodes(static_cast<std::size_t>(shape.nodes)),
        in_node(static_cast<std::size_t>(shape.in_node)) {}
  std::size_t members, nodes, in_node;
};

/// NCCL builds as many rings as there are members in a node, each leaving the node from another member, so that all of
/// its NICs carry traffic (NCCL 2.19, graph/rings.cc). Ring number r visits the members of each node rotated by r.
void visit_rings(const Sizes& s, const Visit& visit) {
  const std::size_t rings = s.nodes > 1 ? s.in_node : 1;
  const auto place = [&](std::size_t ring, std::size_t i) {
    const std::size_t at = i % s.members;
    return at / s.in_node * s.in_node + (at % s.in_node + ring) % s.in_node;
  };
  for (std::size_t ring = 0; ring < rings; ++ring) {
    for (std::size_t i = 0; i < s.members; ++i) visit(place(ring, i), place(ring, i + 1));
  }
}

/// Parent of a node in the in-order binary tree over 1 … n (Sanders, Speck, Traeff 2009, "Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan"); 0 for the root. The lowest set bit tells the height.
std::size_t parent_of(std::size_t node, std::size_t n) {
  const std::size_t height = node & (~node + 1);
  const std::size_t up = (node & (height << 1)) != 0 ? node - height : node + height;
  if (up != 0 && up <= n) return up;
  const std::size_t down = node - height;  // the parent on the right does not exist: the next one on the left does
  return down;
}

/// The second tree is the first one mirrored, so that a leaf of one is an inner node of the other.
void visit_tree_edge(const Sizes& s, std::size_t child, bool mirrored, const Visit& visit) {
  const std::size_t parent = parent_of(child, s.nodes);
  if (parent == 0) return;
  const auto node = [&](std::size_t number) { return mirrored ? s.nodes - number : number - 1; };
  for (std::size_t rail = 0; rail < s.in_node; ++rail) {
    const std::size_t a = node(child) * s.in_node + rail, b = node(parent) * s.in_node + rail;
    visit(a, b);
    visit(b, a);
  }
}

/// Inside a node the members form a chain that starts at the rail's own member; both trees pass it.
void visit_chains(const Sizes& s, const Visit& visit) {
  for (std::size_t node = 0; node < s.nodes; ++node) {
    for (std::size_t rail = 0; rail < s.in_node; ++rail) {
      for (std::size_t i = 0; i + 1 < s.in_node; ++i) {
        const std::size_t a = node * s.in_node + (rail + i) % s.in_node,
                          b = node * s.in_node + (rail + i + 1) % s.in_node;
        for (int tree = 0; tree < 2; ++tree) {
          visit(a, b);
          visit(b, a);
        }
      }
    }
  }
}

void visit_trees(const Sizes& s, const Visit& visit) {
  for (std::size_t child = 1; child <= s.nodes; ++child) {
    visit_tree_edge(s, child, false, visit);
    visit_tree_edge(s, child, true, visit);
  }
  visit_chains(s, visit);
}

void visit_exchange(const Sizes& s, int round, const Visit& visit) {
  for (std::size_t i = 0; i < s.members; ++i) visit(i, i ^ (std::size_t{1} << static_cast<unsigned>(round)));
}

void visit_node_rings(const Sizes& s, const Visit& visit) {
  for (std::size_t i = 0; i < s.members; ++i) visit(i, i / s.in_node * s.in_node + (i % s.in_node + 1) % s.in_node);
}

void visit_rail_rings(const Sizes& s, const Visit& visit) {
  for (std::size_t i = 0; i < s.members; ++i) visit(i, (i + s.in_node) % s.members);
}

/// Pairs (i, j) that `wanted` takes.
template <class Wanted>
void visit_pairs(const Sizes& s, const Visit& visit, Wanted wanted) {
  for (std::size_t i = 0; i < s.members; ++i) {
    for (std::size_t j = 0; j < s.members; ++j) {
      if (i != j && wanted(i, j)) visit(i, j);
    }
  }
}

}  // namespace

void for_each_flow(FlowPattern pattern, int round, const GroupShape& shape, const Visit& visit) {
  const Sizes s(shape);
  switch (pattern) {
    case FlowPattern::ring:
      visit_rings(s, visit);
      break;
    case FlowPattern::tree:
      visit_trees(s, visit);
      break;
    case FlowPattern::exchange:
      visit_exchange(s, round, visit);
      break;
    case FlowPattern::node_ring:
      visit_node_rings(s, visit);
      break;
    case FlowPattern::rail_ring:
      visit_rail_rings(s, visit);
      break;
    case FlowPattern::all_pairs:
      visit_pairs(s, visit, [](auto, auto) { return true; });
      break;
    case FlowPattern::node_pairs:
      visit_pairs(s, visit, [&](auto i, auto j) { return i / s.in_node == j / s.in_node; });
      break;
    case FlowPattern::rail_pairs:
      visit_pairs(s, visit, [&](auto i, auto j) { return i % s.in_node == j % s.in_node; });
      break;
    case FlowPattern::pair:
      visit(0, 1);
      break;
    case FlowPattern::scalar:
      break;
  }
}

}  // namespace stepsim
