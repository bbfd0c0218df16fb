#include "topology/routes/graph_router.h"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <iterator>
#include <tuple>

#include "topology/routes/enumerate_paths.h"

namespace stepsim {
namespace {

struct Arc {
  LinkId link;
};
using ArcGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc, boost::no_property, std::uint32_t>;
using Vertex = boost::graph_traits<ArcGraph>::vertex_descriptor;
using ArcEnd = boost::graph_traits<ArcGraph>::edge_descriptor;

constexpr std::uint32_t kUnreached = UINT32_MAX;

/// How far a node is from the destination that the table is for.
struct Distance {
  std::uint32_t hops = kUnreached;
  SimTime latency;
};
using Distances = std::vector<Distance>;

struct Ends {
  std::uint32_t from, to;
  LinkId link;
};

std::vector<Ends> list_arcs(const LinkTable& links) {
  std::vector<Ends> arcs;
  for (std::size_t i = 0; i < links.from.size(); ++i) {
    const LinkId link(i);
    const std::uint32_t from = links.from[link].index(), to = links.to[link].index();
    arcs.push_back({from, to, link});
    if (links.half_duplex[link] != 0) arcs.push_back({to, from, link});
  }
  return arcs;
}

/// Freezes arcs in the order (from, link), which fixes the order of equal routes.
ArcGraph make_graph(std::vector<Ends> arcs, std::size_t nodes) {
  std::sort(arcs.begin(), arcs.end(),
            [](const Ends& a, const Ends& b) { return std::tie(a.from, a.link) < std::tie(b.from, b.link); });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Arc> links;
  for (const Ends& arc : arcs) {
    ends.emplace_back(arc.from, arc.to);
    links.push_back({arc.link});
  }
  return ArcGraph(boost::edges_are_sorted, ends.begin(), ends.end(), links.begin(), static_cast<std::uint32_t>(nodes));
}

ArcGraph make_reversed(std::vector<Ends> arcs, std::size_t nodes) {
  for (Ends& arc : arcs) std::swap(arc.from, arc.to);
  return make_graph(std::move(arcs), nodes);
}

/// Breadth first away from the destination: when a node at h hops is examined, the latencies of all nodes at h hops are
/// final, because every arc into that layer comes from layer h - 1.
class DistanceVisitor : public boost::default_bfs_visitor {
 public:
  DistanceVisitor(Distances& distances, const IdVector<LinkId, SimTime>& latency)
      : distances_(&distances), latency_(&latency) {}

  void tree_edge(ArcEnd arc, const ArcGraph& graph) const {
    (*distances_)[target(arc, graph)] = {(*distances_)[source(arc, graph)].hops + 1, through(arc, graph)};
  }
  void non_tree_edge(ArcEnd arc, const ArcGraph& graph) const {
    Distance& known = (*distances_)[target(arc, graph)];
    if (known.hops != (*distances_)[source(arc, graph)].hops + 1) return;
    known.latency = std::min(known.latency, through(arc, graph));
  }

 private:
  [[nodiscard]] SimTime through(ArcEnd arc, const ArcGraph& graph) const {
    return (*distances_)[source(arc, graph)].latency + (*latency_)[graph[arc].link];
  }

  Distances* distances_;
  const IdVector<LinkId, SimTime>* latency_;
};

}  // namespace

struct GraphRouter::Search {
  const FabricTables& tables;
  ArcGraph graph, reversed;
  std::vector<Distances> cached;  ///< by destination device; empty if too large

  explicit Search(const FabricTables& all)
      : tables(all),
        graph(make_graph(list_arcs(all.links), all.node_name.size())),
        reversed(make_reversed(list_arcs(all.links), all.node_name.size())) {
    if (all.device_node.size() * all.node_name.size() > kCachedDistances) return;
    for (const NodeId node : all.device_node) cached.push_back(distances_to(node));
  }

  [[nodiscard]] Distances distances_to(NodeId destination) const {
    Distances distances(tables.node_name.size());
    distances[destination.index()].hops = 0;
    const DistanceVisitor visitor(distances, tables.links.latency);
    boost::breadth_first_search(reversed, Vertex{destination.index()}, boost::visitor(visitor));
    return distances;
  }

  /// The cached table, or one made in `scratch`.
  const Distances& distances(DeviceId to, Distances& scratch) const {
    if (!cached.empty()) return cached[to.index()];
    scratch = distances_to(tables.device_node[to]);
    return scratch;
  }

  /// Whether the arc lies on a cheapest way.
  [[nodiscard]] bool approaches(ArcEnd arc, const Distances& distances) const {
    const Distance& here = distances[source(arc, graph)];
    const Distance& next = distances[target(arc, graph)];
    return next.hops + 1 == here.hops && next.latency + tables.links.latency[graph[arc].link] == here.latency;
  }

  /// The first arc that approaches. There is one: `at` was reached.
  [[nodiscard]] ArcEnd first_step(Vertex at, const Distances& distances) const {
    auto arc = boost::out_edges(at, graph).first;
    while (!approaches(*arc, distances)) ++arc;
    return *arc;
  }
};

/// The arcs that come nearer to the destination. Option = place among the node's arcs.
struct GraphRouter::Nearer {
  const Search& search;
  const Distances& distances;

  [[nodiscard]] std::uint32_t options(Vertex at) const {
    return static_cast<std::uint32_t>(boost::out_degree(at, search.graph));
  }
  [[nodiscard]] std::optional<PathStep> step(Vertex at, std::uint32_t option) const {
    const ArcEnd arc = *std::next(boost::out_edges(at, search.graph).first, static_cast<std::int32_t>(option));
    if (!search.approaches(arc, distances)) return std::nullopt;
    return PathStep{search.graph[arc].link, target(arc, search.graph)};
  }
};

GraphRouter::GraphRouter(const FabricTables& tables) : search_(std::make_unique<const Search>(tables)) {}
GraphRouter::~GraphRouter() = default;

bool GraphRouter::first_route(DeviceId from, DeviceId to, Route& out) const {
  Distances scratch;
  const Distances& distances = search_->distances(to, scratch);
  Vertex at = search_->tables.device_node[from].index();
  if (distances[at].hops == kUnreached) return false;
  out.latency = distances[at].latency;
  while (distances[at].hops != 0) {
    const ArcEnd arc = search_->first_step(at, distances);
    out.links.push_back(search_->graph[arc].link);
    at = target(arc, search_->graph);
  }
  return true;
}

std::vector<Route> GraphRouter::routes(DeviceId from, DeviceId to) const {
  Distances scratch;
  const Distances& distances = search_->distances(to, scratch);
  const Vertex start = search_->tables.device_node[from].index();
  std::vector<Route> found;
  if (distances[start].hops == kUnreached) return found;
  const Nearer nearer{*search_, distances};
  for (auto& path : PathEnumerator<Nearer>(nearer, start, search_->tables.device_node[to].index()).run()) {
    found.push_back({std::move(path), distances[start].latency});
  }
  return found;
}

}  // namespace stepsim
