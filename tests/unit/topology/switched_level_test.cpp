#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

/// Two nodes of two devices: NVLink inside, one network port for each device.
ClusterSpec two_nodes() {
  ClusterSpec spec =
      levels({level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("ib", LevelKind::switched, 2, 50e9, 3.3e-6)});
  spec.levels[1].efficiency = 0.5;
  spec.levels[1].collective_overhead = Seconds(10e-6);
  return spec;
}

TEST(SwitchedLevel, RouteStaysInTheInnermostCommonGroup) {
  const Fabric fabric = build(two_nodes());
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> nvlink0, nvlink0 -> gpu1");
  EXPECT_EQ(first_text(fabric, 3, 2), "gpu3 -> nvlink1, nvlink1 -> gpu2");
  // Every device has its own port at the outer level, so no inner hop, whatever the places.
  EXPECT_EQ(first_text(fabric, 0, 2), "gpu0 -> ib0, ib0 -> gpu2");
  EXPECT_EQ(first_text(fabric, 1, 2), "gpu1 -> ib0, ib0 -> gpu2");
}

TEST(SwitchedLevel, LatencyIsTheLevelsEndToEnd) {
  const Fabric fabric = build(two_nodes());
  EXPECT_EQ(first(fabric, 0, 1).latency.ps(), 1'000'000);
  EXPECT_EQ(first(fabric, 0, 3).latency.ps(), 3'300'000);
}

TEST(SwitchedLevel, CapacityIsBandwidthTimesEfficiencyIn65536ths) {
  const Fabric fabric = build(two_nodes());
  const Route inner = first(fabric, 0, 1), outer = first(fabric, 0, 3);
  for (const LinkId id : inner.links) EXPECT_EQ(fabric.capacity(id), 450'000'000'000 * 65536);
  for (const LinkId id : outer.links) {
    EXPECT_EQ(fabric.capacity(id), 25'000'000'000 * 65536);
    EXPECT_EQ(fabric.nominal_bandwidth(id).value(), 50e9);
  }
}

TEST(SwitchedLevel, HasTwoLinksForEachDeviceAndLevel) {
  // 4 devices x 2 levels x (up + down)
  EXPECT_EQ(build(two_nodes()).links(), 16U);
}

TEST(SwitchedLevel, TellsGroupsNamesAndOverheads) {
  const Fabric fabric = build(two_nodes());
  EXPECT_EQ(fabric.devices(), 4U);
  EXPECT_EQ(fabric.levels(), 2);
  EXPECT_EQ(fabric.group_size(0), 2U);
  EXPECT_EQ(fabric.group_size(1), 4U);
  EXPECT_EQ(fabric.level_name(1), "ib");
  EXPECT_EQ(fabric.collective_overhead(0).ps(), 0);
  EXPECT_EQ(fabric.collective_overhead(1).ps(), 10'000'000);
  EXPECT_EQ(fabric.common_level(device(0), device(0)), 0);
  EXPECT_EQ(fabric.common_level(device(0), device(1)), 0);
  EXPECT_EQ(fabric.common_level(device(1), device(2)), 1);
  EXPECT_EQ(fabric.device_name(device(3)), "gpu3");
}

TEST(SwitchedLevel, LinkClassesAreTheLevelsNames) {
  const Fabric fabric = build(two_nodes());
  EXPECT_EQ(fabric.link_classes(), (std::vector<std::string>{"nvlink", "ib"}));
  EXPECT_EQ(fabric.link_class(first(fabric, 0, 1).links[0]), 0);
  EXPECT_EQ(fabric.link_class(first(fabric, 0, 2).links[1]), 1);
}

TEST(SwitchedLevel, OneMemberAddsNothing) {
  // Devices 0 and 1 meet at the second level: the first has a single member.
  const Fabric fabric = build(
      levels({level("nvlink", LevelKind::switched, 1, 450e9, 1e-6), level("ib", LevelKind::switched, 2, 50e9, 3e-6)}));
  EXPECT_EQ(fabric.links(), 4U);
  EXPECT_EQ(fabric.common_level(device(0), device(1)), 1);
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> ib0, ib0 -> gpu1");
}

TEST(SwitchedLevel, InfiniteBandwidthNeverLimits) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Fabric fabric = build(levels({level("wire", LevelKind::switched, 4, infinite, 0)}));
  const Route route = first(fabric, 0, 3);
  EXPECT_EQ(fabric.capacity(route.links[0]), kUnlimited);
  EXPECT_EQ(route.latency.ps(), 0);
}

TEST(SwitchedLevel, ToItselfIsOneEmptyRoute) {
  const Fabric fabric = build(two_nodes());
  const std::vector<Route> routes = fabric.routes(device(1), device(1));
  ASSERT_EQ(routes.size(), 1U);
  EXPECT_TRUE(routes[0].links.empty());
  EXPECT_EQ(routes[0].latency.ps(), 0);
}

TEST(SwitchedLevel, FirstRouteClearsWhatItIsGiven) {
  const Fabric fabric = build(two_nodes());
  Route route = first(fabric, 0, 3);
  fabric.first_route(device(2), device(3), route);
  EXPECT_EQ(text(fabric, route), "gpu2 -> nvlink1, nvlink1 -> gpu3");
  EXPECT_EQ(route.latency.ps(), 1'000'000);
}

}  // namespace
}  // namespace stepsim::topology_test
