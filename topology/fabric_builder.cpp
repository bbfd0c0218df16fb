#include "topology/fabric_builder.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <cmath>

#include "sim/base/error.h"

namespace stepsim {
namespace {

struct NodeDraft {
  std::string name;
  NodeKind kind = NodeKind::accelerator;
};

/// One arc for each draft; a half-duplex link gets its second direction when it is frozen.
struct ArcDraft {
  DraftId link;
};

using MutableGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, NodeDraft, ArcDraft>;

void append(LinkTable& table, const LinkDraft& draft) {
  table.from.push_back(draft.from);
  table.to.push_back(draft.to);
  table.capacity.push_back(to_capacity(draft.degraded.value_or(draft.nominal) * draft.efficiency));
  table.nominal.push_back(draft.nominal);
  table.latency.push_back(to_sim_time(draft.latency));
  table.link_class.push_back(draft.link_class);
  table.half_duplex.push_back(draft.half_duplex ? 1 : 0);
}

}  // namespace

struct FabricBuilder::Draft {
  MutableGraph graph;
  IdVector<DraftId, LinkDraft> links;
  std::vector<std::string> classes;
};

FabricBuilder::FabricBuilder() : draft_(std::make_unique<Draft>()) {}
FabricBuilder::~FabricBuilder() = default;

NodeId FabricBuilder::add_node(std::string name, NodeKind kind) {
  return NodeId(boost::add_vertex(NodeDraft{std::move(name), kind}, draft_->graph));
}

std::uint16_t FabricBuilder::add_class(const std::string& name) {
  if (const auto known = find_class(name)) return *known;
  draft_->classes.push_back(name);
  return static_cast<std::uint16_t>(draft_->classes.size() - 1);
}

DraftId FabricBuilder::add_link(const LinkDraft& draft) {
  const DraftId id = draft_->links.push_back(draft);
  boost::add_edge(draft.from.index(), draft.to.index(), ArcDraft{id}, draft_->graph);
  return id;
}

std::size_t FabricBuilder::nodes() const { return boost::num_vertices(draft_->graph); }
const std::string& FabricBuilder::node_name(NodeId node) const { return draft_->graph[node.index()].name; }

std::optional<NodeId> FabricBuilder::find_node(std::string_view name) const {
  for (std::size_t node = 0; node < nodes(); ++node) {
    if (draft_->graph[node].name == name) return NodeId(node);
  }
  return std::nullopt;
}

std::optional<std::uint16_t> FabricBuilder::find_class(std::string_view name) const {
  const auto found = std::find(draft_->classes.begin(), draft_->classes.end(), name);
  if (found == draft_->classes.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - draft_->classes.begin());
}

const std::vector<std::string>& FabricBuilder::classes() const { return draft_->classes; }
IdVector<DraftId, LinkDraft>& FabricBuilder::drafts() { return draft_->links; }

std::vector<DraftId> FabricBuilder::links_at(NodeId node) const {
  std::vector<DraftId> found;
  const auto outs = boost::out_edges(node.index(), draft_->graph);
  for (auto arc = outs.first; arc != outs.second; ++arc) found.push_back(draft_->graph[*arc].link);
  const auto ins = boost::in_edges(node.index(), draft_->graph);
  for (auto arc = ins.first; arc != ins.second; ++arc) found.push_back(draft_->graph[*arc].link);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::unique_ptr<Fabric> FabricBuilder::freeze(LevelTable levels, const MakeRoutes& make_routes) {
  auto tables = std::make_unique<Fabric::Tables>();
  tables->levels = std::move(levels);
  for (std::size_t node = 0; node < nodes(); ++node) {
    NodeDraft& draft = draft_->graph[node];
    tables->node_name.push_back(std::move(draft.name));
    if (draft.kind == NodeKind::accelerator) tables->device_node.push_back(NodeId(node));
  }
  IdVector<DraftId, LinkId> ids;
  for (const LinkDraft& link : draft_->links) {
    ids.push_back(link.dead ? kNoLink : LinkId(tables->links.from.size()));
    if (!link.dead) append(tables->links, link);
  }
  tables->link_classes = std::move(draft_->classes);
  tables->routes = make_routes(*tables, ids);
  draft_ = std::make_unique<Draft>();
  return std::unique_ptr<Fabric>(new Fabric(std::move(tables)));
}

Capacity to_capacity(BytesPerSecond bandwidth) {
  if (std::isinf(bandwidth.value())) return kUnlimited;
  sim_assert(bandwidth > BytesPerSecond() && bandwidth <= kMostBandwidth, "a link's bandwidth was not checked");
  return std::llround(bandwidth.value() * 65536.0);
}

}  // namespace stepsim
