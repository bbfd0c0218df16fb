#include "topology/graph_cluster.h"

#include <map>

namespace stepsim {
namespace {

LinkDraft draft_of(const GraphLinkSpec& link, FabricBuilder& builder) {
  LinkDraft draft;
  draft.link_class = builder.add_class(link.link_class);
  draft.half_duplex = link.half_duplex;
  draft.nominal = link.bandwidth;
  draft.efficiency = link.efficiency;
  draft.latency = link.latency;
  return draft;
}

}  // namespace

void add_graph(const ClusterSpec& spec, FabricBuilder& builder) {
  std::map<std::string, NodeId> nodes;
  for (const GraphNodeSpec& node : spec.nodes) nodes[node.name] = builder.add_node(node.name, node.kind);
  for (const GraphLinkSpec& link : spec.links) {
    LinkDraft draft = draft_of(link, builder);
    draft.from = nodes.at(link.from);
    draft.to = nodes.at(link.to);
    builder.add_link(draft);
    if (link.half_duplex) continue;
    std::swap(draft.from, draft.to);
    builder.add_link(draft);
  }
}

LevelTable graph_level_table(std::size_t devices) {
  return {{"graph"}, {static_cast<std::uint32_t>(devices)}, {SimTime()}, {false}, {std::nullopt}, {BytesPerSecond()},
          {1.0}};
}

}  // namespace stepsim
