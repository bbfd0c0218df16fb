#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

ClusterSpec two_nodes() {
  return levels(
      {level("nvlink", LevelKind::switched, 2, 450e9, 1e-6), level("ib", LevelKind::switched, 2, 50e9, 3e-6)});
}

LinkFault slow_class(std::string link_class) {
  LinkFault fault;
  fault.link_class = std::move(link_class);
  return fault;
}

LinkFault slow_between(std::string a, std::string b) {
  LinkFault fault;
  fault.between = {std::move(a), std::move(b)};
  return fault;
}

Fabric with(ClusterSpec spec, LinkFault fault) {
  spec.faults.push_back(std::move(fault));
  return build(spec);
}

TEST(SlowLink, ByClassKeepsAShareOfTheNominalBandwidth) {
  LinkFault fault = slow_class("ib");
  fault.bandwidth_factor = 0.5;
  ClusterSpec spec = two_nodes();
  spec.levels[1].efficiency = 0.8;
  const Fabric fabric = with(spec, fault);
  const Route slow = first(fabric, 0, 2), untouched = first(fabric, 0, 1);
  for (const LinkId id : slow.links) EXPECT_EQ(fabric.capacity(id), units(50e9 * 0.5 * 0.8));
  for (const LinkId id : slow.links) EXPECT_EQ(fabric.nominal_bandwidth(id).value(), 50e9);
  for (const LinkId id : untouched.links) EXPECT_EQ(fabric.capacity(id), units(450e9));
}

TEST(SlowLink, AbsoluteBandwidthReplacesTheNominal) {
  LinkFault fault = slow_between("gpu0", "ib0");
  fault.bandwidth = BytesPerSecond(10e9);
  const Fabric fabric = with(two_nodes(), fault);
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu0 -> ib0")), units(10e9));
  EXPECT_EQ(fabric.capacity(find_link(fabric, "ib0 -> gpu0")), units(10e9));
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu1 -> ib0")), units(50e9));
}

TEST(SlowLink, AbsoluteBandwidthOfAFullLevelIsADevicesEgress) {
  // 4 members: 60 GB/s for the class is 20 GB/s for each pair; between two members it is that pair's.
  ClusterSpec spec = levels({level("link", LevelKind::full, 4, 300e9, 1e-6)});
  LinkFault fault = slow_class("link");
  fault.bandwidth = BytesPerSecond(60e9);
  const Fabric whole = with(spec, fault);
  EXPECT_EQ(whole.capacity(LinkId(0U)), units(20e9));
  LinkFault pair = slow_between("gpu0", "gpu1");
  pair.bandwidth = BytesPerSecond(60e9);
  const Fabric one = with(spec, pair);
  EXPECT_EQ(one.capacity(find_link(one, "gpu1 -> gpu0")), units(60e9));
  EXPECT_EQ(one.capacity(find_link(one, "gpu1 -> gpu2")), units(100e9));
}

TEST(SlowLink, LaterFaultDecides) {
  ClusterSpec spec = two_nodes();
  spec.faults = {slow_class("ib"), slow_between("gpu0", "ib0")};
  spec.faults[0].bandwidth_factor = 0.5;
  spec.faults[1].bandwidth_factor = 0.2;  // of the nominal 50 GB/s
  const Fabric fabric = build(spec);
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu0 -> ib0")), units(10e9));
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu1 -> ib0")), units(25e9));
}

TEST(SlowLink, LatencyOfALevelStaysEndToEnd) {
  LinkFault fault = slow_class("ib");
  fault.latency = Seconds(7e-6);
  EXPECT_EQ(first(with(two_nodes(), fault), 0, 2).latency.ps(), 7'000'000);
}

TEST(SlowLink, LatencyOfOneDeviceHoldsInBothDirections) {
  LinkFault fault = slow_between("gpu0", "ib0");
  fault.latency = Seconds(7e-6);
  const Fabric fabric = with(two_nodes(), fault);
  EXPECT_EQ(first(fabric, 0, 2).latency.ps(), 7'000'000);
  EXPECT_EQ(first(fabric, 2, 0).latency.ps(), 7'000'000);
  EXPECT_EQ(first(fabric, 1, 2).latency.ps(), 3'000'000);
}

TEST(SlowLink, LatencyOfAGraphLinkReplacesIt) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b"), node("s", NodeKind::switch_)};
  spec.links = {link("a", "s", 1e9, 1e-6), link("s", "b", 1e9, 2e-6)};
  LinkFault fault = slow_between("s", "a");
  fault.latency = Seconds(5e-6);
  EXPECT_EQ(first(with(spec, fault), 0, 1).latency.ps(), 7'000'000);
  EXPECT_EQ(first(with(spec, fault), 1, 0).latency.ps(), 7'000'000);
}

TEST(SlowLink, NodeAndClassMeanTheNodesLinksOfThatClass) {
  LinkFault fault = slow_between("nvlink", "gpu3");
  fault.bandwidth_factor = 0.5;
  const Fabric fabric = with(two_nodes(), fault);
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu3 -> nvlink1")), units(225e9));
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu3 -> ib0")), units(50e9));
  EXPECT_EQ(fabric.capacity(find_link(fabric, "gpu2 -> nvlink1")), units(450e9));
}

TEST(DeadLink, SwitchedLevelGoesRoundOverTheOtherLevel) {
  const Fabric fabric = with(two_nodes(), dead_between("gpu0", "nvlink0"));
  EXPECT_EQ(fabric.links(), 14U);
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> ib0, ib0 -> gpu1");
  EXPECT_EQ(first_text(fabric, 2, 3), "gpu2 -> nvlink1, nvlink1 -> gpu3");
}

TEST(DeadLink, DeviceWithoutNetworkPortGoesOverItsNeighbour) {
  const Fabric fabric = with(two_nodes(), dead_between("gpu0", "ib0"));
  EXPECT_EQ(first_text(fabric, 0, 2), "gpu0 -> nvlink0, nvlink0 -> gpu1, gpu1 -> ib0, ib0 -> gpu2");
  EXPECT_EQ(first_text(fabric, 2, 0), "gpu2 -> ib0, ib0 -> gpu1, gpu1 -> nvlink0, nvlink0 -> gpu0");
  EXPECT_EQ(first(fabric, 0, 2).latency.ps(), 4'000'000);
}

TEST(DeadLink, RingGoesTheOtherWay) {
  const Fabric fabric = with(levels({level("link", LevelKind::ring, 5, 1e9, 1e-6)}), dead_between("gpu0", "gpu1"));
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> gpu4, gpu4 -> gpu3, gpu3 -> gpu2, gpu2 -> gpu1");
  EXPECT_EQ(first_text(fabric, 1, 2), "gpu1 -> gpu2");
}

TEST(DeadLink, MeshTakesAnotherShortestWay) {
  // 2 x 2: from 0 to 3 over 1, or over 2 where 0 - 1 is dead.
  const Fabric fabric = with(levels({shaped(LevelKind::mesh, {2, 2})}), dead_between("gpu0", "gpu1"));
  EXPECT_EQ(all_texts(fabric, 0, 3), (std::vector<std::string>{"gpu0 -> gpu2, gpu2 -> gpu3"}));
  EXPECT_EQ(first_text(fabric, 0, 3), "gpu0 -> gpu2, gpu2 -> gpu3");
}

TEST(DeadLink, CutCornerOfALargeMeshIsFoundQuickly) {
  // Corner to corner of 24 x 24 has C(46, 23) = 8.2e12 shortest ways, all cut at the target: must not be listed one by
  // one.
  ClusterSpec spec = levels({shaped(LevelKind::mesh, {24, 24})});
  spec.faults = {dead_between("gpu575", "gpu574"), dead_between("gpu575", "gpu551")};
  const Fabric fabric = build(spec);
  EXPECT_THROW((void)first(fabric, 0, 575), SimError);
}

TEST(DeadLink, FatTreeLosesOneOfItsRoutes) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b"), node("s", NodeKind::switch_), node("t", NodeKind::switch_)};
  for (const char* hub : {"s", "t"}) {
    for (const char* end : {"a", "b"}) spec.links.push_back(link(end, hub, 1e9, 1e-6));
  }
  EXPECT_EQ(build(spec).routes(device(0), device(1)).size(), 2U);
  EXPECT_EQ(all_texts(with(spec, dead_between("s", "b")), 0, 1), (std::vector<std::string>{"a -> t, t -> b"}));
}

TEST(DeadLink, CutOffDeviceIsAnErrorThatNamesBoth) {
  const Fabric fabric =
      with(levels({level("nvlink", LevelKind::switched, 3, 1e9, 0)}), dead_between("gpu2", "nvlink0"));
  try {
    first(fabric, 2, 0);
    FAIL() << "no route, yet no error";
  } catch (const SimError& error) {
    EXPECT_NE(std::string(error.what()).find("gpu2"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("gpu0"), std::string::npos);
  }
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> nvlink0, nvlink0 -> gpu1");
}

TEST(DeadLink, WholeClassCanDie) {
  LinkFault fault = slow_class("nvlink");
  fault.dead = true;
  const Fabric fabric = with(two_nodes(), fault);
  EXPECT_EQ(first_text(fabric, 0, 1), "gpu0 -> ib0, ib0 -> gpu1");
}

TEST(DeadLink, HalfDuplexDiesInBothDirections) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b")};
  spec.links = {link("a", "b", 1e9, 1e-6)};
  spec.links[0].half_duplex = true;
  const Fabric fabric = with(spec, dead_between("b", "a"));
  EXPECT_EQ(fabric.links(), 0U);
  EXPECT_THROW((void)first(fabric, 0, 1), SimError);
  EXPECT_THROW((void)first(fabric, 1, 0), SimError);
}

TEST(FaultNames, UnknownOnesAreReportedWithTheNearest) {
  ClusterSpec spec = two_nodes();
  spec.faults = {slow_class("nvlonk"), dead_between("gpu0", "nvlink"), dead_between("gpu0", "nvlnk0"),
                 dead_between("gpu0", "gpu1"), dead_between("rack7", "ib0")};
  const std::string errors = errors_of(spec);
  EXPECT_NE(errors.find("no link has class 'nvlonk' (did you mean 'nvlink'?)"), std::string::npos) << errors;
  EXPECT_NE(errors.find("no node 'nvlnk0' (did you mean 'nvlink0'?)"), std::string::npos) << errors;
  EXPECT_NE(errors.find("no link between gpu0 and gpu1 (gpu0 is joined to: nvlink0, ib0)"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find("no node 'rack7' (there are: gpu0, "), std::string::npos) << errors;
}

TEST(FaultNames, ClassThatTheNodeLacks) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b"), node("c")};
  spec.links = {link("a", "b", 1e9, 1e-6), link("b", "c", 1e9, 1e-6)};
  spec.links[1].link_class = "slow";
  spec.faults = {dead_between("a", "slow")};
  EXPECT_EQ(errors_of(spec), "a has no link of class 'slow' (a is joined to: b)\n");
}

}  // namespace
}  // namespace stepsim::topology_test
