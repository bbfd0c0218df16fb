#include <gtest/gtest.h>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

ClusterSpec ring(int size) { return levels({level("link", LevelKind::ring, size, 100e9, 1e-6)}); }

TEST(RingLevel, GoesTheShorterWayRound) {
  const Fabric fabric = build(ring(5));
  EXPECT_EQ(first_text(fabric, 0, 2), "gpu0 -> gpu1, gpu1 -> gpu2");
  EXPECT_EQ(first_text(fabric, 0, 3), "gpu0 -> gpu4, gpu4 -> gpu3");
  EXPECT_EQ(first_text(fabric, 4, 1), "gpu4 -> gpu0, gpu0 -> gpu1");
}

TEST(RingLevel, LatencyAddsUpForEachHop) {
  const Fabric fabric = build(ring(5));
  EXPECT_EQ(first(fabric, 0, 1).latency.ps(), 1'000'000);
  EXPECT_EQ(first(fabric, 0, 3).latency.ps(), 2'000'000);
}

TEST(RingLevel, EachNeighbourLinkHasTheLevelsBandwidth) {
  const Fabric fabric = build(ring(5));
  EXPECT_EQ(fabric.links(), 10U);
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu4 -> gpu0")), units(100e9));
}

TEST(RingLevel, OppositeMemberIsReachedBothWaysUpwardFirst) {
  const Fabric fabric = build(ring(4));
  EXPECT_EQ(all_texts(fabric, 3, 1),
            (std::vector<std::string>{"gpu3 -> gpu0, gpu0 -> gpu1", "gpu3 -> gpu2, gpu2 -> gpu1"}));
  EXPECT_EQ(first_text(fabric, 3, 1), "gpu3 -> gpu0, gpu0 -> gpu1");
}

TEST(RingLevel, OfTwoIsOnePairOfLinks) {
  const Fabric fabric = build(ring(2));
  EXPECT_EQ(fabric.links(), 2U);
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> gpu1");
  EXPECT_EQ(first_text(fabric, 1, 0), "gpu1 -> gpu0");
  EXPECT_EQ(fabric.routes(device(1), device(0)).size(), 1U);
}

/// Device numbers of a 3 x 2 lattice, dimension 0 to the right:
///   3 4 5
///   0 1 2
TEST(MeshLevel, GoesAlongDimensionsInOrder) {
  const Fabric fabric = build(levels({shaped(LevelKind::mesh, {3, 2})}));
  EXPECT_EQ(first_text(fabric, 0, 5), "gpu0 -> gpu1, gpu1 -> gpu2, gpu2 -> gpu5");
  EXPECT_EQ(first_text(fabric, 5, 0), "gpu5 -> gpu4, gpu4 -> gpu3, gpu3 -> gpu0");
  EXPECT_EQ(first(fabric, 0, 5).latency.ps(), 3'000'000);
  // Rows: 2 rows x 2 neighbour pairs, columns: 3 pairs; two directions each.
  EXPECT_EQ(fabric.links(), 14U);
}

TEST(MeshLevel, ListsAllShortestWays) {
  // From 0 to 5: two steps right and one up, in any order: 3 ways.
  const Fabric fabric = build(levels({shaped(LevelKind::mesh, {3, 2})}));
  EXPECT_EQ(all_texts(fabric, 0, 5), (std::vector<std::string>{"gpu0 -> gpu1, gpu1 -> gpu2, gpu2 -> gpu5",
                                                               "gpu0 -> gpu1, gpu1 -> gpu4, gpu4 -> gpu5",
                                                               "gpu0 -> gpu3, gpu3 -> gpu4, gpu4 -> gpu5"}));
}

TEST(MeshLevel, StopsAtSixteenWays) {
  // Corner to corner of 4 x 4: 6! / (3! 3!) = 20 shortest ways.
  const Fabric fabric = build(levels({shaped(LevelKind::mesh, {4, 4})}));
  EXPECT_EQ(fabric.routes(device(0), device(15)).size(), Fabric::kMaxEqualPaths);
  // Of 3 x 3: 4! / (2! 2!) = 6.
  EXPECT_EQ(build(levels({shaped(LevelKind::mesh, {3, 3})})).routes(device(0), device(8)).size(), 6U);
}

TEST(TorusLevel, WrapsEachDimension) {
  // 4 x 3: from 0 (0,0) to 11 (3,2): one step down in each dimension, over the edges: (3,0) is 3.
  const Fabric fabric = build(levels({shaped(LevelKind::torus, {4, 3})}));
  EXPECT_EQ(first_text(fabric, 0, 11), "gpu0 -> gpu3, gpu3 -> gpu11");
  EXPECT_EQ(all_texts(fabric, 0, 11),
            (std::vector<std::string>{"gpu0 -> gpu3, gpu3 -> gpu11", "gpu0 -> gpu8, gpu8 -> gpu11"}));
  // 12 devices x 2 dimensions x 2 directions.
  EXPECT_EQ(fabric.links(), 48U);
}

TEST(TorusLevel, DimensionOfTwoHasNoSecondLink) {
  // 2 x 3: dimension 0 has 3 pairs, dimension 1 has 2 rings of 3.
  EXPECT_EQ(build(levels({shaped(LevelKind::torus, {2, 3})})).links(), 2U * 3 + 2U * 2 * 3);
}

TEST(TorusLevel, OuterLevelJoinsCounterparts) {
  // Two devices a node, four nodes in a ring. Device 1 (node 0, place 1) to device 4 (node 2, place 0): to place 0
  // inside the node, then two hops over the ring, either way.
  const Fabric fabric = build(
      levels({level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("ring", LevelKind::ring, 4, 50e9, 3e-6)}));
  EXPECT_EQ(all_texts(fabric, 1, 4),
            (std::vector<std::string>{"gpu1 -> nvlink0, nvlink0 -> gpu0, gpu0 -> gpu2, gpu2 -> gpu4",
                                      "gpu1 -> nvlink0, nvlink0 -> gpu0, gpu0 -> gpu6, gpu6 -> gpu4"}));
  EXPECT_EQ(first(fabric, 1, 4).latency.ps(), 7'000'000);
  EXPECT_EQ(first_text(fabric, 7, 1), "gpu7 -> gpu1");
}

TEST(RingLevel, LongRingIsWalkedWithoutRecursion) {
  const Fabric fabric = build(ring(40'000));
  EXPECT_EQ(first(fabric, 0, 20'000).links.size(), 20'000U);
  EXPECT_EQ(fabric.routes(device(0), device(20'000)).size(), 2U);
}

}  // namespace
}  // namespace stepsim::topology_test
