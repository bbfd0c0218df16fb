#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

LevelSpec good() { return level("nvlink", LevelKind::switched, 4, 450e9, 1e-6); }

::testing::AssertionResult reports(const ClusterSpec& spec, const std::string& message) {
  const std::string errors = errors_of(spec);
  if (errors.find(message) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected \"" << message << "\" in:\n" << errors;
}

TEST(CheckCluster, EmptyClusterHasNoAccelerators) {
  EXPECT_TRUE(reports(ClusterSpec{}, "the cluster has no accelerators"));
  ClusterSpec switches;
  switches.nodes = {node("s", NodeKind::switch_)};
  EXPECT_TRUE(reports(switches, "the cluster has no accelerators"));
}

TEST(CheckCluster, LevelsAndGraphExcludeEachOther) {
  ClusterSpec spec = levels({good()});
  spec.nodes = {node("a")};
  EXPECT_TRUE(reports(spec, "both `levels` and a graph"));
}

TEST(CheckCluster, SizeIsAtLeastOne) {
  ClusterSpec spec = levels({good()});
  spec.levels[0].size = 0;
  EXPECT_TRUE(reports(spec, "level 'nvlink' has size 0"));
}

TEST(CheckCluster, ShapeMultipliesToSize) {
  ClusterSpec spec = levels({shaped(LevelKind::torus, {4, 4})});
  spec.levels[0].size = 8;
  EXPECT_TRUE(reports(spec, "level 'link': the shape [4, 4] does not multiply to its size 8"));
  spec.levels[0].shape = {-2, -4};
  EXPECT_TRUE(reports(spec, "does not multiply to its size 8"));
  spec.levels[0].shape.clear();
  EXPECT_TRUE(reports(spec, "does not multiply to its size 8"));
}

TEST(CheckCluster, ShapeIsForMeshAndTorusOnly) {
  ClusterSpec spec = levels({good()});
  spec.levels[0].shape = {4};
  EXPECT_TRUE(reports(spec, "level 'nvlink' has a shape"));
}

TEST(CheckCluster, BandwidthIsPositive) {
  for (const double bandwidth : {0.0, -1.0, kNan, 1e15, -std::numeric_limits<double>::infinity()}) {
    ClusterSpec spec = levels({good()});
    spec.levels[0].bandwidth = BytesPerSecond(bandwidth);
    EXPECT_TRUE(reports(spec, "level 'nvlink': bandwidth")) << bandwidth;
  }
}

TEST(CheckCluster, EfficiencyIsAShare) {
  for (const double efficiency : {0.0, -0.5, 1.01, kNan}) {
    ClusterSpec spec = levels({good()});
    spec.levels[0].efficiency = efficiency;
    EXPECT_TRUE(reports(spec, "is not a share")) << efficiency;
  }
}

TEST(CheckCluster, LatencyAndOverheadAreFiniteAndNotNegative) {
  for (const double latency : {-1e-6, kNan, 101.0, std::numeric_limits<double>::infinity()}) {
    ClusterSpec spec = levels({good()});
    spec.levels[0].latency = Seconds(latency);
    EXPECT_TRUE(reports(spec, "level 'nvlink': latency")) << latency;
    spec = levels({good()});
    spec.levels[0].collective_overhead = Seconds(latency);
    EXPECT_TRUE(reports(spec, "level 'nvlink': collective_overhead")) << latency;
  }
}

TEST(CheckCluster, SwitchesAndDevicesGetDifferentNames) {
  EXPECT_TRUE(reports(levels({good(), good()}), "level 'nvlink' would name its switches like level 'nvlink'"));
  ClusterSpec spec = levels({good(), good()});
  spec.levels[1].name = "nvlink1";  // nvlink1 + 0 is also nvlink + 10
  EXPECT_TRUE(reports(spec, "level 'nvlink1' would name its switches like level 'nvlink'"));
  spec.levels[1].name = "gpu";
  EXPECT_TRUE(reports(spec, "level 'gpu' would name its switches like devices"));
  spec.levels[1].name = "";
  EXPECT_TRUE(reports(spec, "a level has no name"));
  spec.levels[1].name = "nvlink-x";
  EXPECT_EQ(errors_of(spec), "built");
}

TEST(CheckCluster, SizesHaveALimit) {
  ClusterSpec spec = levels({good(), good(), good()});
  for (int i = 0; i < 3; ++i) {
    spec.levels[static_cast<std::size_t>(i)].name = std::string(1, static_cast<char>('a' + i));
    spec.levels[static_cast<std::size_t>(i)].size = 2'000'000'000;
  }
  EXPECT_TRUE(reports(spec, "the product of the levels' sizes is too large"));
  // 16,384 x 16,383 = 268 M pair links.
  EXPECT_TRUE(reports(levels({level("link", LevelKind::full, 16384, 1e9, 0)}), "the levels have 268419072 links"));
}

TEST(CheckCluster, GraphNamesAreUniqueAndKnown) {
  ClusterSpec spec;
  spec.nodes = {node("chip0"), node("chip0"), node("board", NodeKind::switch_), node("")};
  spec.links = {link("chip0", "bord", 1e9, 0), link("board", "board", 1e9, 0)};
  EXPECT_TRUE(reports(spec, "two nodes are named 'chip0'"));
  EXPECT_TRUE(reports(spec, "a node has no name"));
  EXPECT_TRUE(reports(spec, "a link ends at 'bord', which is no node (did you mean 'board'?)"));
  EXPECT_TRUE(reports(spec, "link board - board joins a node to itself"));
}

TEST(CheckCluster, GraphLinksAreChecked) {
  ClusterSpec spec;
  spec.nodes = {node("a"), node("b")};
  spec.links = {link("a", "b", 0, 0), link("a", "b", 1e9, -1)};
  EXPECT_TRUE(reports(spec, "link a - b: bandwidth"));
  EXPECT_TRUE(reports(spec, "link a - b: latency"));
}

TEST(CheckCluster, FaultValuesAreChecked) {
  ClusterSpec spec = levels({good()});
  spec.faults.resize(4);
  spec.faults[1].link_class = "nvlink";
  spec.faults[1].bandwidth_factor = 0;
  spec.faults[2].between = {"gpu0"};
  spec.faults[3].link_class = "nvlink";
  spec.faults[3].latency = Seconds(-1);
  EXPECT_TRUE(reports(spec, "needs `class` or `between`"));
  EXPECT_TRUE(reports(spec, "bandwidth must be more than 0 %"));
  EXPECT_TRUE(reports(spec, "`between` has 1 names"));
  EXPECT_TRUE(reports(spec, "a slow link: latency"));
}

TEST(CheckCluster, SlowLinkMayNotFallBelowWhatTheEngineResolves) {
  ClusterSpec spec = levels({good()});
  spec.faults.resize(1);
  spec.faults[0].link_class = "nvlink";
  spec.faults[0].bandwidth_factor = 1e-12;  // 0.45 B/s
  EXPECT_TRUE(reports(spec, "a slow link: bandwidth 0.45 B/s can't be simulated"));
}

TEST(CheckCluster, ReportsWhereTheMistakeStands) {
  ClusterSpec spec = levels({good()});
  spec.levels[0].size = -3;
  spec.levels[0].where = {"x.yaml", 7, 5, 4};
  Diagnostics diagnostics;
  EXPECT_EQ(build_fabric(spec, diagnostics), nullptr);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].where.line, 7);
}

}  // namespace
}  // namespace stepsim::topology_test
