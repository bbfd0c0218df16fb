#include <gtest/gtest.h>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

/// 2,048 nodes of 8.
ClusterSpec large() {
  return levels(
      {level("nvlink", LevelKind::switched, 8, 450e9, 1e-6), level("roce", LevelKind::switched, 2048, 50e9, 5e-6)});
}

TEST(LargeCluster, Of16384DevicesIsBuilt) {
  const Fabric fabric = build(large());
  EXPECT_EQ(fabric.devices(), 16384U);
  EXPECT_EQ(fabric.links(), 4U * 16384);
  EXPECT_EQ(first_text(fabric, 16383, 16376), "gpu16383 -> nvlink2047, nvlink2047 -> gpu16376");
  EXPECT_EQ(first_text(fabric, 0, 16383), "gpu0 -> roce0, roce0 -> gpu16383");
}

TEST(LargeCluster, AnswersEveryPairInClosedForm) {
  const Fabric fabric = build(large());
  Route route;
  std::size_t inside = 0;
  for (std::uint32_t i = 0; i < 500'000; ++i) {
    const std::uint32_t from = i % 16384, to = (i * 7919U + 13) % 16384;
    fabric.first_route(device(from), device(to), route);
    ASSERT_EQ(route.links.size(), from == to ? 0U : 2U);
    if (from != to && from / 8 == to / 8) ++inside;
    ASSERT_EQ(route.latency.ps(), from == to ? 0 : from / 8 == to / 8 ? 1'000'000 : 5'000'000);
  }
  EXPECT_GT(inside, 0U);
}

TEST(LargeCluster, OneDeadPortReroutesItsDeviceOnly) {
  ClusterSpec spec = large();
  spec.faults = {dead_between("gpu0", "roce0")};
  const Fabric fabric = build(spec);
  EXPECT_EQ(first_text(fabric, 0, 8), "gpu0 -> nvlink0, nvlink0 -> gpu1, gpu1 -> roce0, roce0 -> gpu8");
  EXPECT_EQ(fabric.routes(device(0), device(8)).size(), 7U);  // over each of its 7 neighbours
  EXPECT_EQ(first_text(fabric, 1, 8), "gpu1 -> roce0, roce0 -> gpu8");
}

}  // namespace
}  // namespace stepsim::topology_test
