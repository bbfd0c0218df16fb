#pragma once
// Which links the communications of a step cross: the flows of every group, hop and message, before any folding.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/maxmin.h"
#include "topology/fabric.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// How the flows of a communication run between its members.
enum class FlowPattern : std::uint8_t {
  ring,       ///< member i to i+1; several rings where several members share a group of the innermost level
  all_pairs,  ///< every member to every other
  scalar,     ///< recursive doubling of a few bytes: latency only
  pair,       ///< one sender, one receiver
};

FlowPattern pattern_of(CommKind kind);

/// The equal flows that one communication consists of.
struct FlowBundle {
  FlowPattern pattern = FlowPattern::pair;
  GroupKind group = GroupKind::tp;    ///< pair: cp marks a ring hop
  std::int16_t peer_stage = -1;       ///< pair: pipeline coordinate of the receiver, -1 for a ring hop
  std::vector<RankId> members;        ///< pair: sender, receiver
  std::vector<LinkUse> links;         ///< by LinkId, sorted, limited links only
  std::int64_t flows_per_member = 1;  ///< that leave each member
  SimTime latency;                    ///< of one trip through the pattern (see trip_latency in traffic.cpp)
  SimTime overhead;                   ///< start of the communication
  bool crosses_level = false;         ///< leaves the innermost level
};

/// Of the ranks' view: every bundle of the step and those that each rank is a member of.
struct Traffic {
  std::vector<FlowBundle> bundles;
  Csr<std::uint32_t> bundles_of_rank;  ///< ascending
};

/// Rank r sits on device r. Only what some program uses. Throws SimError if two ranks that talk can't reach each other.
Traffic find_traffic(const StepGraph& graph, const Fabric& fabric);

}  // namespace stepsim
