#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

/// package-sip-ring.yaml: two packages of four chips in a ring, chip 0 of each joined to a board.
ClusterSpec sip_ring() {
  ClusterSpec spec;
  for (const char* sip : {"sip0", "sip1"}) {
    for (int chip = 0; chip < 4; ++chip) spec.nodes.push_back(node(std::string(sip) + ".c" + std::to_string(chip)));
  }
  spec.nodes.push_back(node("board", NodeKind::switch_));
  for (const std::string sip : {"sip0.c", "sip1.c"}) {
    for (int chip = 0; chip < 4; ++chip) {
      spec.links.push_back(link(sip + std::to_string(chip), sip + std::to_string((chip + 1) % 4), 800e9, 200e-9));
      spec.links.back().link_class = "intra_sip";
    }
  }
  for (const char* chip : {"sip0.c0", "sip1.c0"}) {
    spec.links.push_back(link(chip, "board", 100e9, 1e-6));
    spec.links.back().link_class = "board";
  }
  return spec;
}

TEST(GraphCluster, SipRingRoutesPassThroughOtherChips) {
  const Fabric fabric = build(sip_ring());
  EXPECT_EQ(fabric.devices(), 8U);
  EXPECT_EQ(fabric.links(), 20U);
  // c1 of package 0 is device 1, c2 of package 1 is device 6. From c0 to c2 inside a package: over c1 or over c3.
  const std::string way = "sip0.c1 -> sip0.c0, sip0.c0 -> board, board -> sip1.c0, ";
  EXPECT_EQ(all_texts(fabric, 1, 6), (std::vector<std::string>{way + "sip1.c0 -> sip1.c1, sip1.c1 -> sip1.c2",
                                                               way + "sip1.c0 -> sip1.c3, sip1.c3 -> sip1.c2"}));
  // 3 hops of 200 ns inside packages, 2 of 1 us over the board.
  EXPECT_EQ(first(fabric, 1, 6).latency.ps(), 2'600'000);
  EXPECT_EQ(first_text(fabric, 0, 3), "sip0.c0 -> sip0.c3");
  EXPECT_EQ(fabric.link_classes(), (std::vector<std::string>{"intra_sip", "board"}));
}

TEST(GraphCluster, IsOneLevel) {
  const Fabric fabric = build(sip_ring());
  EXPECT_EQ(fabric.levels(), 1);
  EXPECT_EQ(fabric.common_level(device(0), device(7)), 0);
  EXPECT_EQ(fabric.group_size(0), 8U);
  EXPECT_EQ(fabric.collective_overhead(0).ps(), 0);
}

/// Two leaves with two devices each, two spines, every leaf joined to every spine.
ClusterSpec fat_tree() {
  ClusterSpec spec;
  for (const char* name : {"a", "b", "c", "d"}) spec.nodes.push_back(node(name));
  for (const char* name : {"leaf0", "leaf1", "spine0", "spine1"}) spec.nodes.push_back(node(name, NodeKind::switch_));
  for (const char* name : {"a", "b"}) spec.links.push_back(link(name, "leaf0", 50e9, 1e-6));
  for (const char* name : {"c", "d"}) spec.links.push_back(link(name, "leaf1", 50e9, 1e-6));
  for (const char* leaf : {"leaf0", "leaf1"}) {
    for (const char* spine : {"spine0", "spine1"}) spec.links.push_back(link(leaf, spine, 50e9, 1e-6));
  }
  return spec;
}

TEST(GraphCluster, FatTreeHasOneRouteForEachSpine) {
  const Fabric fabric = build(fat_tree());
  EXPECT_EQ(all_texts(fabric, 0, 3),
            (std::vector<std::string>{"a -> leaf0, leaf0 -> spine0, spine0 -> leaf1, leaf1 -> d",
                                      "a -> leaf0, leaf0 -> spine1, spine1 -> leaf1, leaf1 -> d"}));
  EXPECT_EQ(all_texts(fabric, 0, 1), (std::vector<std::string>{"a -> leaf0, leaf0 -> b"}));
}

TEST(GraphCluster, LeastLatencyDecidesBetweenRoutesOfEqualLength) {
  ClusterSpec spec = fat_tree();
  spec.links[4].latency = Seconds(1.5e-6);  // leaf0 - spine0
  const Fabric fabric = build(spec);
  EXPECT_EQ(all_texts(fabric, 0, 3),
            (std::vector<std::string>{"a -> leaf0, leaf0 -> spine1, spine1 -> leaf1, leaf1 -> d"}));
}

TEST(GraphCluster, FewestLinksGoBeforeLeastLatency) {
  // a - b direct takes 10 us, over a switch 2 us: the direct link is the route.
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b"), node("s", NodeKind::switch_)};
  spec.links = {link("a", "s", 1e9, 1e-6), link("s", "b", 1e9, 1e-6), link("a", "b", 1e9, 10e-6)};
  EXPECT_EQ(all_texts(build(spec), 0, 1), (std::vector<std::string>{"a -> b"}));
}

TEST(GraphCluster, ParallelLinksAreEqualRoutes) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b")};
  spec.links = {link("a", "b", 1e9, 1e-6), link("a", "b", 2e9, 1e-6)};
  const Fabric fabric = build(spec);
  const std::vector<Route> routes = fabric.routes(device(0), device(1));
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(fabric.capacity(routes[0].links[0]), units(1e9));
  EXPECT_EQ(fabric.capacity(routes[1].links[0]), units(2e9));
}

TEST(GraphCluster, KeepsAtMostSixteenEqualRoutes) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b")};
  for (int i = 0; i < 20; ++i) spec.links.push_back(link("a", "b", 1e9, 1e-6));
  EXPECT_EQ(build(spec).routes(device(0), device(1)).size(), Fabric::kMaxEqualPaths);
}

TEST(GraphCluster, HalfDuplexIsOneLinkBothWays) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b")};
  spec.links = {link("a", "b", 1e9, 1e-6)};
  spec.links[0].half_duplex = true;
  const Fabric fabric = build(spec);
  EXPECT_EQ(fabric.links(), 1U);
  EXPECT_EQ(first(fabric, 0, 1).links, first(fabric, 1, 0).links);
  EXPECT_EQ(first_text(fabric, 1, 0), "a <-> b");
}

TEST(GraphCluster, OnlyAcceleratorsAreDevices) {
  ClusterSpec spec;
  spec.nodes = {node("s", NodeKind::switch_), node("a"), node("n", NodeKind::nic), node("b")};
  spec.links = {link("a", "n", 1e9, 1e-6), link("n", "s", 1e9, 1e-6), link("s", "b", 1e9, 1e-6)};
  const Fabric fabric = build(spec);
  EXPECT_EQ(fabric.devices(), 2U);
  EXPECT_EQ(count_devices(spec), 2U);
  EXPECT_EQ(fabric.device_name(device(1)), "b");
  EXPECT_EQ(first_text(fabric, 0, 1), "a -> n, n -> s, s -> b");
}

TEST(GraphCluster, UnreachableDevicesAreNamed) {
  ClusterSpec spec;
  spec.nodes = {node("left"), node("right")};
  const Fabric fabric = build(spec);
  try {
    first(fabric, 0, 1);
    FAIL() << "no route, yet no error";
  } catch (const SimError& error) {
    EXPECT_NE(std::string(error.what()).find("left"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("right"), std::string::npos);
  }
  EXPECT_THROW((void)fabric.routes(device(0), device(1)), SimError);
}

TEST(GraphCluster, LargeGraphIsSearchedPerCall) {
  // 2,000 devices on a line: 2,000 x 2,000 distances are more than the router keeps.
  ClusterSpec spec;
  for (int i = 0; i < 2000; ++i) spec.nodes.push_back(node("d" + std::to_string(i)));
  for (int i = 1; i < 2000; ++i) {
    spec.links.push_back(link("d" + std::to_string(i - 1), "d" + std::to_string(i), 1e9, 1e-9));
  }
  const Fabric fabric = build(spec);
  EXPECT_EQ(first(fabric, 1999, 0).links.size(), 1999U);
  EXPECT_EQ(first(fabric, 1999, 0).latency.ps(), 1'999'000);
  EXPECT_EQ(fabric.routes(device(3), device(1)).size(), 1U);
}

}  // namespace
}  // namespace stepsim::topology_test
