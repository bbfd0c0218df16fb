#include "sim/engine/traffic.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace stepsim {
namespace {

DeviceId device_of(RankId rank) { return DeviceId(rank.index()); }

/// Counts flows on links; cleared by handing out the sorted list.
class LinkCounter {
 public:
  explicit LinkCounter(const Fabric& fabric) : fabric_(fabric), flows_(fabric.links(), 0) {}

  /// Adds a flow and returns the latency of its route.
  SimTime add(RankId from, RankId to) {
    fabric_.first_route(device_of(from), device_of(to), route_);
    for (const LinkId link : route_.links) count(link);
    return route_.latency;
  }

  std::vector<LinkUse> take() {
    std::sort(touched_.begin(), touched_.end());
    std::vector<LinkUse> uses;
    uses.reserve(touched_.size());
    for (const std::uint32_t link : touched_) uses.push_back({link, std::exchange(flows_[link], 0)});
    touched_.clear();
    return uses;
  }

 private:
  void count(LinkId link) {
    if (fabric_.capacity(link) == kUnlimited) return;
    if (flows_[link.index()]++ == 0) touched_.push_back(link.index());
  }

  const Fabric& fabric_;
  std::vector<std::int64_t> flows_;
  std::vector<std::uint32_t> touched_;
  Route route_;
};

/// What must exist once for each group, or for each rank and peer.
using Need = std::tuple<FlowPattern, GroupKind, std::int16_t>;

std::set<Need> needs_of(const Program& program, const StepGraph& graph) {
  std::set<std::uint32_t> comms;
  for (const Op& op : program.ops) {
    if (op.kind != OpKind::compute && op.kind != OpKind::recv) comms.insert(op.what);
  }
  std::set<Need> needs;
  for (const std::uint32_t id : comms) {
    const Comm& comm = graph.comms[CommId(id)];
    needs.insert({pattern_of(comm.kind), comm.kind == CommKind::send ? GroupKind::world : comm.group,
                  comm.kind == CommKind::send ? comm.peer_stage : std::int16_t{-1}});
  }
  return needs;
}

class TrafficFinder {
 public:
  TrafficFinder(const StepGraph& graph, const Fabric& fabric) : graph_(graph), fabric_(fabric), counter_(fabric) {}

  Traffic run() {
    std::vector<std::set<Need>> by_program;
    for (const Program& program : graph_.programs) by_program.push_back(needs_of(program, graph_));
    for (const Need& need : union_of(by_program)) add_all(need, by_program);
    index_by_rank();
    return std::move(traffic_);
  }

 private:
  static std::set<Need> union_of(const std::vector<std::set<Need>>& sets) {
    std::set<Need> all;
    for (const auto& one : sets) all.insert(one.begin(), one.end());
    return all;
  }

  void add_all(const Need& need, const std::vector<std::set<Need>>& by_program) {
    const auto& [pattern, group, peer_stage] = need;
    in_a_group_.assign(graph_.program_of_rank.size(), false);
    for (std::uint32_t r = 0; r < graph_.program_of_rank.size(); ++r) {
      if (!by_program[graph_.program_of_rank[r].index()].contains(need)) continue;
      if (pattern == FlowPattern::pair) {
        add_pair(RankId(r), group, peer_stage);
      } else if (!in_a_group_[r]) {
        add_group(RankId(r), pattern, group);
      }
    }
  }

  void add_pair(RankId rank, GroupKind group, std::int16_t peer_stage) {
    const RankId peer = peer_stage >= 0 ? graph_.grid.on_stage(rank, peer_stage) : next_in_ring(rank, group);
    FlowBundle bundle{FlowPattern::pair, group, peer_stage, {rank, peer}, {}, 1, {}, {}, false};
    bundle.latency = counter_.add(rank, peer);
    bundle.links = counter_.take();
    finish(std::move(bundle));
  }

  RankId next_in_ring(RankId rank, GroupKind group) const {
    const auto members = graph_.grid.members(group, rank);
    const auto at = std::find(members.begin(), members.end(), rank);
    return at + 1 == members.end() ? members.front() : at[1];
  }

  /// Once for each group: when its first member comes by.
  void add_group(RankId rank, FlowPattern pattern, GroupKind group) {
    auto members = graph_.grid.members(group, rank);
    for (const RankId member : members) in_a_group_[member.index()] = true;
    FlowBundle bundle{pattern, group, -1, std::move(members), {}, 1, {}, {}, false};
    if (bundle.members.size() > 1) add_flows(bundle);
    finish(std::move(bundle));
  }

  void add_flows(FlowBundle& bundle) {
    switch (bundle.pattern) {
      case FlowPattern::ring:
        add_rings(bundle);
        break;
      case FlowPattern::all_pairs:
        add_all_pairs(bundle);
        break;
      case FlowPattern::scalar:
        add_doubling(bundle);
        break;
      case FlowPattern::pair:
        break;
    }
    bundle.links = counter_.take();
  }

  /// NCCL builds as many rings as there are members in a node, each leaving the node from another member, so that all
  /// of its NICs carry traffic (NCCL 2.19 source, graph/rings). A chunk passes n-1 of the n hops: the trip that skips
  /// the quickest hop is the longest.
  void add_rings(FlowBundle& bundle) {
    const auto& m = bundle.members;
    const std::size_t rings = members_of_a_node(m);
    SimTime around, quickest = SimTime::never();
    for (std::size_t ring = 0; ring < rings; ++ring) {
      for (std::size_t i = 0; i < m.size(); ++i) {
        const SimTime hop = counter_.add(in_ring(m, rings, ring, i), in_ring(m, rings, ring, (i + 1) % m.size()));
        if (ring > 0) continue;
        around += hop;
        quickest = std::min(quickest, hop);
      }
    }
    bundle.flows_per_member = static_cast<std::int64_t>(rings);
    bundle.latency = around - quickest;
  }

  /// Ring number `ring` visits the members of each node rotated by its number.
  static RankId in_ring(const std::vector<RankId>& m, std::size_t rings, std::size_t ring, std::size_t i) {
    const std::size_t node = i / rings;
    return m[node * rings + (i + ring) % rings];
  }

  /// Members in each group of the innermost level if that is the same number everywhere and more than one group is
  /// spanned, else 1.
  [[nodiscard]] std::size_t members_of_a_node(const std::vector<RankId>& m) const {
    std::size_t together = 1;
    while (together < m.size() && same_node(m[0], m[together])) ++together;
    if (together == m.size() || m.size() % together != 0) return 1;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const bool starts_node = i % together == 0;
      if (!starts_node && !same_node(m[i], m[i - 1])) return 1;
      if (starts_node && i > 0 && same_node(m[i], m[i - 1])) return 1;
    }
    return together;
  }

  [[nodiscard]] bool same_node(RankId a, RankId b) const {
    return fabric_.common_level(device_of(a), device_of(b)) == 0;
  }

  /// All pairs at once: the latency is that of the longest route.
  void add_all_pairs(FlowBundle& bundle) {
    for (const RankId from : bundle.members) {
      for (const RankId to : bundle.members) {
        if (from != to) bundle.latency = std::max(bundle.latency, counter_.add(from, to));
      }
    }
    bundle.flows_per_member = static_cast<std::int64_t>(bundle.members.size()) - 1;
  }

  /// ceil(log2 n) rounds with the partner at distance 1, 2, 4, …; latency only, a few bytes.
  void add_doubling(FlowBundle& bundle) {
    for (std::size_t distance = 1; distance < bundle.members.size(); distance *= 2) {
      bundle.latency += counter_.add(bundle.members[0], bundle.members[distance]);
    }
    counter_.take();
  }

  void finish(FlowBundle bundle) {
    int level = 0;
    for (const RankId member : bundle.members) {
      level = std::max(level, fabric_.common_level(device_of(bundle.members[0]), device_of(member)));
    }
    bundle.overhead = bundle.members.size() > 1 ? fabric_.collective_overhead(level) : SimTime(0);
    bundle.crosses_level = level > 0;
    if (bundle.pattern == FlowPattern::scalar) bundle.links.clear();
    traffic_.bundles.push_back(std::move(bundle));
  }

  void index_by_rank() {
    std::vector<std::vector<std::uint32_t>> of(graph_.program_of_rank.size());
    for (std::uint32_t b = 0; b < traffic_.bundles.size(); ++b) {
      for (const RankId member : traffic_.bundles[b].members) of[member.index()].push_back(b);
    }
    for (const auto& row : of) traffic_.bundles_of_rank.add_row(row);
  }

  const StepGraph& graph_;
  const Fabric& fabric_;
  LinkCounter counter_;
  std::vector<bool> in_a_group_;  ///< of the kind that is being added
  Traffic traffic_;
};

}  // namespace

FlowPattern pattern_of(CommKind kind) {
  switch (kind) {
    case CommKind::all_to_all:
      return FlowPattern::all_pairs;
    case CommKind::scalar_all_reduce:
      return FlowPattern::scalar;
    case CommKind::ring_hop:
    case CommKind::send:
    case CommKind::recv:
      return FlowPattern::pair;
    default:
      return FlowPattern::ring;
  }
}

Traffic find_traffic(const StepGraph& graph, const Fabric& fabric) { return TrafficFinder(graph, fabric).run(); }

}  // namespace stepsim
