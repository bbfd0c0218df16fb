#include <gtest/gtest.h>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

/// Three nodes of two devices: devices 0 2 4 on rail 0, devices 1 3 5 on rail 1.
ClusterSpec rails() {
  return levels({level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("rail", LevelKind::rail, 3, 50e9, 3e-6)});
}

TEST(RailLevel, SamePlaceGoesStraightOverItsRail) {
  const Fabric fabric = build(rails());
  EXPECT_EQ(first_text(fabric, 0, 4), "gpu0 -> rail0, rail0 -> gpu4");
  EXPECT_EQ(first_text(fabric, 5, 1), "gpu5 -> rail1, rail1 -> gpu1");
  EXPECT_EQ(first(fabric, 0, 4).latency.ps(), 3'000'000);
}

TEST(RailLevel, OtherPlaceCrossesTheNodeFirst) {
  const Fabric fabric = build(rails());
  // Device 0 (place 0) to device 5 (place 1): device 1 sits on the target's rail. 1 us + 3 us.
  EXPECT_EQ(first_text(fabric, 0, 5), "gpu0 -> nvlink0, nvlink0 -> gpu1, gpu1 -> rail1, rail1 -> gpu5");
  EXPECT_EQ(first(fabric, 0, 5).latency.ps(), 4'000'000);
}

TEST(RailLevel, EveryGroupHasItsOwnRails) {
  // A third level makes two groups of 2 x 2 devices: rails 0 1 in the first, 2 3 in the second.
  const Fabric fabric =
      build(levels({level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("rail", LevelKind::rail, 2, 50e9, 3e-6),
                    level("spine", LevelKind::switched, 2, 25e9, 5e-6)}));
  EXPECT_EQ(first_text(fabric, 5, 7), "gpu5 -> rail3, rail3 -> gpu7");
  EXPECT_EQ(first_text(fabric, 1, 6), "gpu1 -> spine0, spine0 -> gpu6");
}

TEST(RailLevel, AtTheInnermostLevelIsSwitched) {
  const Fabric fabric = build(levels({level("rail", LevelKind::rail, 3, 50e9, 3e-6)}));
  EXPECT_EQ(first_text(fabric, 0, 2), "gpu0 -> rail0, rail0 -> gpu2");
  EXPECT_EQ(first_text(fabric, 1, 2), "gpu1 -> rail0, rail0 -> gpu2");
}

}  // namespace
}  // namespace stepsim::topology_test
