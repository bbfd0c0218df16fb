#include <gtest/gtest.h>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

TEST(FullLevel, PairLinksShareTheDevicesBandwidth) {
  // 4 members: 3 links out of each, each 300/3 = 100 GB/s.
  const Fabric fabric = build(levels({level("link", LevelKind::full, 4, 300e9, 1e-6)}));
  EXPECT_EQ(fabric.links(), 12U);
  for (std::size_t i = 0; i < fabric.links(); ++i) EXPECT_EQ(fabric.capacity(LinkId(i)), units(100e9));
}

TEST(FullLevel, EveryPairIsOneHop) {
  const Fabric fabric = build(levels({level("link", LevelKind::full, 4, 300e9, 1e-6)}));
  EXPECT_EQ(all_texts(fabric, 3, 1), (std::vector<std::string>{"gpu3 -> gpu1"}));
  EXPECT_EQ(first(fabric, 3, 1).latency.ps(), 1'000'000);
}

TEST(FullLevel, OuterLevelJoinsCounterparts) {
  // Nodes of 2, three nodes all joined. Device 0 to device 5 (node 2, place 1): device 1 first.
  const Fabric fabric = build(
      levels({level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("cable", LevelKind::full, 3, 50e9, 3e-6)}));
  EXPECT_EQ(first_text(fabric, 0, 5), "gpu0 -> nvlink0, nvlink0 -> gpu1, gpu1 -> gpu5");
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu1 -> gpu5")), units(25e9));
}

}  // namespace
}  // namespace stepsim::topology_test
