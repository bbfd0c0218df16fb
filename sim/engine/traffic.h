#pragma once
// Which links the communications of a step cross: the flows of every group, hop and message, before any folding.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/collectives/algorithm.h"
#include "sim/engine/maxmin.h"
#include "topology/fabric.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// Flows that exist once for each group, or for each sender: one pattern on one kind of group.
struct FlowKey {
  FlowPattern pattern = FlowPattern::pair;
  GroupKind group = GroupKind::tp;  ///< pair: cp marks a ring hop
  std::int16_t peer_stage = -1;     ///< pair: pipeline coordinate of the receiver, -1 for a ring hop
  std::int16_t round = 0;
  auto operator<=>(const FlowKey&) const = default;
};

/// The equal flows of one phase of one group's communication.
struct FlowBundle {
  FlowKey key;
  std::uint32_t key_number = 0;
  GroupShape shape;
  std::vector<RankId> members;        ///< pair: sender, receiver
  std::vector<LinkUse> links;         ///< by LinkId, sorted, limited links only
  std::int64_t flows_per_member = 1;  ///< that leave each member
  SimTime trip_latency, hop_latency;  ///< once through the pattern; along its longest flow
  SimTime overhead;                   ///< start of the communication
};

/// Of the ranks' view: every bundle of the step and those that each rank is a member of. Each group that some program
/// uses has a `scalar` bundle: who its members are.
struct Traffic {
  std::vector<FlowKey> keys;
  std::vector<FlowBundle> bundles;
  Csr<std::uint32_t> bundles_of_rank;               ///< ascending
  std::vector<const Algorithm*> algorithm_of_comm;  ///< by CommId; nullptr for hops and messages
};

/// Rank r sits on device r. `all_reduce`: the name of an algorithm, or "auto" for the fastest of those that NCCL's
/// model considers. Throws SimError if two ranks that talk can't reach each other.
Traffic find_traffic(const StepGraph& graph, const Fabric& fabric, const std::string& all_reduce);

}  // namespace stepsim
