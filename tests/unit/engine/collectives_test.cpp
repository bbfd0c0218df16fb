// Collective algorithms against closed forms. Links of 1 GB/s move a byte a ns; latencies in ns.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "graph_maker.h"
#include "sim/engine/collectives/algorithm.h"

namespace stepsim::testing {
namespace {

LevelSpec level(const char* name, int size, double gbps, double latency_ns) {
  LevelSpec spec;
  spec.name = name;
  spec.size = size;
  spec.bandwidth = BytesPerSecond(gbps * 1e9);
  spec.latency = Seconds(latency_ns * 1e-9);
  return spec;
}

/// `nodes` nodes of `in_node` devices: 4 GB/s and 100 ns inside, 1 GB/s and 1,000 ns between nodes.
std::unique_ptr<Fabric> two_levels(int in_node, int nodes, bool in_network = false) {
  ClusterSpec spec;
  spec.levels = {level("fast", in_node, 4, 100), level("slow", nodes, 1, 1000)};
  spec.levels[0].in_network = in_network;
  Diagnostics diagnostics;
  return build_fabric(spec, diagnostics);
}

/// Nanoseconds of one collective over all devices of a cluster.
double time_of(std::unique_ptr<Fabric> fabric, CommKind kind, std::int64_t bytes, const std::string& algorithm = "auto",
               int nodes_per_token = 0, int copies = 1) {
  const int n = static_cast<int>(fabric->devices());
  GraphMaker make(Layout{.tp = n});
  const ProgramId p = make.program();
  make.collective(kind, GroupKind::tp, Axis::tp, Stream::compute, bytes);
  StepGraph graph = make.finish(std::vector<ProgramId>(static_cast<std::size_t>(n), p));
  for (Comm& comm : graph.comms) {
    comm.nodes_per_token = nodes_per_token;
    comm.copies = copies;
  }
  Bench bench{std::move(fabric)};
  bench.options.all_reduce = algorithm;
  return static_cast<double>(bench.run(graph).end.ps()) / 1000;
}

/// Rates are rounded down to 2^-16 B/s and amounts up to 2^-16 B: less than a ns here.
constexpr double kRounding = 1;

// One switch of 8, 1 GB/s, 100 ns. Halving and doubling: rounds of S/2, S/4, S/8 and back: 2 (7/8) S + 6 latencies.
TEST(Collectives, HalvingDoubling) {
  EXPECT_NEAR(time_of(one_switch(8, 1, 100), CommKind::all_reduce, 80'000, "halving_doubling"), 2 * 70'000 + 6 * 100,
              kRounding);
}

// One-shot: each port sends S to 7 others at once.
TEST(Collectives, OneShot) {
  EXPECT_NEAR(time_of(one_switch(8, 1, 100), CommKind::all_reduce, 1'000, "one_shot"), 7 * 1'000 + 100, kRounding);
}

// NVLS: S once up and down at 4 GB/s, one latency; it beats the ring's 2 (7/8) S, so `auto` takes it.
TEST(Collectives, InNetworkSendsThePayloadOnce) {
  EXPECT_NEAR(time_of(two_levels(8, 1, true), CommKind::all_reduce, 80'000), 20'000 + 100, kRounding);
  EXPECT_NEAR(time_of(two_levels(8, 1, false), CommKind::all_reduce, 80'000), 2 * 7 / 8.0 * 20'000 + 14 * 100,
              kRounding);
}

// A ring over 4 nodes of 2: two rings share the payload, so that both NICs of a node carry S (2 x 7/8)/2 each: 70,000
// of 80,000 bytes at 1 GB/s. Around: 4 hops of 100 inside and 4 of 1,000 between; a chunk skips the quickest: 4,300 a
// trip.
TEST(Collectives, RingOverNodesUsesEveryNic) {
  EXPECT_NEAR(time_of(two_levels(2, 4), CommKind::all_reduce, 80'000, "ring"), 70'000 + 2 * 4'300, kRounding);
}

// Hierarchical over 4 nodes of 2: half of S inside at 4 GB/s (10,000) + 100, then 2 (3/4) of S/2 across (60,000) and
// twice round a ring of 4 nodes (2 x 3 x 1,000), then inside again.
TEST(Collectives, Hierarchical) {
  EXPECT_NEAR(time_of(two_levels(2, 4), CommKind::all_reduce, 80'000, "hierarchical"),
              2 * (10'000 + 100) + 60'000 + 6'000, kRounding);
}

// Trees over 8 nodes of 1: depth 3, up and down: 6 latencies for a small message against the ring's 14. Large: an inner
// node of one tree is a leaf of the other; it sends S/2 up and S/2 to each of two children, and S/2 up in the other
// tree: 2 S.
TEST(Collectives, TreesWinSmallMessages) {
  EXPECT_NEAR(time_of(two_levels(1, 8), CommKind::all_reduce, 8, "tree"), 6 * 1'000 + 16, 2);
  EXPECT_NEAR(time_of(two_levels(1, 8), CommKind::all_reduce, 8), 6 * 1'000 + 16, 2);
  EXPECT_NEAR(time_of(two_levels(1, 8), CommKind::all_reduce, 8'000'000, "tree"), 6 * 1'000 + 16e6, kRounding);
}

// Both trees span all nodes, no node has more than two children, and nobody is an inner node of both (even counts).
TEST(Collectives, TwoTrees) {
  for (std::int64_t nodes = 2; nodes <= 64; ++nodes) {
    std::map<std::size_t, int> sent;
    for_each_flow(FlowPattern::tree, 0, {.members = nodes, .nodes = nodes, .in_node = 1},
                  [&](std::size_t from, std::size_t to) {
                    ASSERT_LT(from, static_cast<std::size_t>(nodes));
                    ASSERT_NE(from, to);
                    ++sent[from];
                  });
    int edges = 0;
    for (const auto& [node, flows] : sent) {
      edges += flows;
      EXPECT_LE(flows, nodes % 2 == 0 ? 4 : 6) << nodes << " " << node;
    }
    EXPECT_EQ(sent.size(), static_cast<std::size_t>(nodes));
    EXPECT_EQ(edges, 4 * (nodes - 1)) << nodes;  // two trees, both directions
  }
}

// DeepEP over 4 nodes of 2, top-4, at most 2 nodes a token. Payload P = 4 copies less the own share: one copy is
// P x 8/7/4 = 20,000 for P = 70,000. Each token goes to 2 x 3/4 other nodes: 30,000 bytes over its NIC at 1 GB/s.
// Inside, 4 copies of which half stay: 40,000 at 4 GB/s, meanwhile. NCCL's pairs would send 6/7 of 70,000 over the NIC.
TEST(Collectives, TokensGoOnceToEachNode) {
  EXPECT_NEAR(time_of(two_levels(2, 4), CommKind::all_to_all, 70'000, "auto", 2, 4), 30'000 + 1'000, 2);
  EXPECT_NEAR(time_of(two_levels(2, 4), CommKind::all_to_all, 70'000), 60'000 + 1'000, 2);
}

TEST(Collectives, NamesAreUnique) {
  std::set<std::string> names;
  for (const Algorithm& algorithm : algorithms()) EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
  EXPECT_EQ(find_algorithm("tree")->name, "tree");
  EXPECT_EQ(find_algorithm("no such"), nullptr);
}

}  // namespace
}  // namespace stepsim::testing
