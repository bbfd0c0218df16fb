#include "sim/engine/traffic.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/engine/collectives/choose.h"
#include "sim/engine/flow_bundle.h"

namespace stepsim {

namespace {

bool is_collective(const Comm& comm) {
  return comm.kind != CommKind::ring_hop && comm.kind != CommKind::send && comm.kind != CommKind::recv;
}

/// Communications that a program starts.
std::set<std::uint32_t> comms_of(const Program& program) {
  std::set<std::uint32_t> comms;
  for (const Op& op : program.ops) {
    if (op.kind != OpKind::compute && op.kind != OpKind::recv) comms.insert(op.what);
  }
  return comms;
}

class TrafficFinder {
 public:
  TrafficFinder(const StepGraph& graph, const Fabric& fabric, const std::string& all_reduce)
      : graph_(graph), fabric_(fabric), all_reduce_(all_reduce), maker_(fabric) {}

  Traffic run() {
    find_first_ranks();
    for (const Program& program : graph_.programs) comms_.push_back(comms_of(program));
    traffic_.algorithm_of_comm.assign(graph_.comms.size(), nullptr);
    for (std::size_t p = 0; p < comms_.size(); ++p) add_needs(p);
    for (const auto& [key, programs] : needs_) add_all(key, programs);
    index_by_rank();
    return std::move(traffic_);
  }

 private:
  void find_first_ranks() {
    first_rank_.assign(graph_.programs.size(), RankId());
    for (std::uint32_t r = static_cast<std::uint32_t>(graph_.program_of_rank.size()); r-- > 0;) {
      first_rank_[graph_.program_of_rank[r].index()] = RankId(r);
    }
  }

  void add_needs(std::size_t program) {
    for (const std::uint32_t id : comms_[program]) {
      const Comm& comm = graph_.comms[CommId(id)];
      if (is_collective(comm)) {
        add_collective(id, comm, program);
      } else {
        const bool hop = comm.kind == CommKind::ring_hop;
        need({FlowPattern::pair, hop ? comm.group : GroupKind::world, hop ? std::int16_t{-1} : comm.peer_stage},
             program);
      }
    }
  }

  void add_collective(std::uint32_t id, const Comm& comm, std::size_t program) {
    need({FlowPattern::scalar, comm.group}, program);
    const auto members = graph_.grid.members(comm.group, first_rank_[program]);
    if (members.size() < 2) return;
    const GroupShape shape = shape_of(members, fabric_);
    const Algorithm*& algorithm = traffic_.algorithm_of_comm[id];
    if (algorithm == nullptr) {
      const BundleOf bundle_of = [this](const FlowKey& key, const std::vector<RankId>& group) -> const FlowBundle& {
        return sample(key, group);
      };
      algorithm = choose_algorithm(comm, members, shape, all_reduce_, fabric_, bundle_of);
    }
    for (const Phase& phase : algorithm->phases(comm, shape)) {
      need({phase.pattern, comm.group, -1, static_cast<std::int16_t>(phase.round)}, program);
    }
  }

  /// The bundle of one group, kept while algorithms are weighed.
  const FlowBundle& sample(const FlowKey& key, const std::vector<RankId>& group) {
    const auto [at, added] = samples_.try_emplace({key, group.front().index()});
    if (added) at->second = maker_.make(key, group);
    return at->second;
  }

  void need(const FlowKey& key, std::size_t program) { needs_[key].insert(program); }

  void add_all(const FlowKey& key, const std::set<std::size_t>& programs) {
    traffic_.keys.push_back(key);
    in_a_group_.assign(graph_.program_of_rank.size(), false);
    for (std::uint32_t r = 0; r < graph_.program_of_rank.size(); ++r) {
      if (in_a_group_[r] || !programs.contains(graph_.program_of_rank[r].index())) continue;
      add(key, members_of(key, RankId(r)));
    }
  }

  std::vector<RankId> members_of(const FlowKey& key, RankId rank) {
    if (key.pattern == FlowPattern::pair) {
      return {rank, key.peer_stage >= 0 ? graph_.grid.on_stage(rank, key.peer_stage) : next_in_ring(rank, key.group)};
    }
    auto members = graph_.grid.members(key.group, rank);
    for (const RankId member : members) in_a_group_[member.index()] = true;
    return members;
  }

  RankId next_in_ring(RankId rank, GroupKind group) const {
    const auto members = graph_.grid.members(group, rank);
    const auto at = std::find(members.begin(), members.end(), rank);
    return at + 1 == members.end() ? members.front() : at[1];
  }

  void add(const FlowKey& key, std::vector<RankId> members) {
    traffic_.bundles.push_back(maker_.make(key, std::move(members)));
    traffic_.bundles.back().key_number = static_cast<std::uint32_t>(traffic_.keys.size() - 1);
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
  const std::string& all_reduce_;
  BundleMaker maker_;
  std::vector<RankId> first_rank_;                                   ///< by program
  std::vector<std::set<std::uint32_t>> comms_;                       ///< by program
  std::map<FlowKey, std::set<std::size_t>> needs_;                   ///< programs that need a key
  std::map<std::pair<FlowKey, std::uint32_t>, FlowBundle> samples_;  ///< by key and first member
  std::vector<bool> in_a_group_;                                     ///< of the kind that is being added
  Traffic traffic_;
};

}  // namespace

Traffic find_traffic(const StepGraph& graph, const Fabric& fabric, const std::string& all_reduce) {
  return TrafficFinder(graph, fabric, all_reduce).run();
}

}  // namespace stepsim
