#pragma once
// Collective algorithms: which flows carry how much, phase by phase.

#include <string>
#include <vector>

#include "sim/engine/collectives/patterns.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// Equal flows that move together. A flow carries payload * numerator / denominator bytes; the phase begins with
/// `trips` times round its pattern and `hops` times along its longest flow. Phases follow each other, except those that
/// run beside the one before.
struct Phase {
  FlowPattern pattern = FlowPattern::ring;
  int round = 0;
  std::int64_t numerator = 1, denominator = 1;
  int trips = 0, hops = 0;
  bool beside_previous = false;
};

/// A row of the table of algorithms.
struct Algorithm {
  std::string name;
  std::string help;
  bool automatic = false;  ///< `auto` considers it
  bool (*fits)(const Comm&, const GroupShape&) = nullptr;
  std::vector<Phase> (*phases)(const Comm&, const GroupShape&) = nullptr;
};

/// In the order in which ties are broken.
const std::vector<Algorithm>& algorithms();
const Algorithm* find_algorithm(const std::string& name);

/// A ring once round for AllGather, ReduceScatter and broadcast, twice for AllReduce.
extern const Algorithm kRing;
/// Two binary trees over the nodes (NCCL 2.4): latency grows with the logarithm of their number.
extern const Algorithm kTree;
/// Switches add and copy (NVLS): each rank sends and receives the payload once.
extern const Algorithm kInNetwork;
/// ReduceScatter inside the nodes, AllReduce across them, AllGather inside.
extern const Algorithm kHierarchical;
/// log2 n rounds with half of the data each, and back.
extern const Algorithm kHalvingDoubling;
/// Everybody sends everything to everybody: one hop, for small messages (vLLM's and TensorRT-LLM's kernels).
extern const Algorithm kOneShot;
/// All-to-all as n-1 flows from each rank.
extern const Algorithm kPairwise;
/// All-to-all of tokens that sends a token once to each node and fans out inside (DeepEP).
extern const Algorithm kNodeOnce;
/// A few bytes by recursive doubling.
extern const Algorithm kScalar;

}  // namespace stepsim
