// Properties of routes on random clusters. The oracle is a plain breadth-first search over the links' names.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>

#include "sim/base/error.h"
#include "tests/unit/topology/clusters.h"

namespace stepsim::topology_test {
namespace {

using Random = std::mt19937;

int draw(Random& random, int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); }

struct Ends {
  std::string from, to;
};

Ends ends_of(const Fabric& fabric, LinkId id) {
  const std::string name = fabric.link_name(id);
  const std::size_t arrow = name.find(" -> ");
  return {name.substr(0, arrow), name.substr(arrow + 4)};
}

/// Links from a device to every node, by search; what can't be reached is absent.
std::map<std::string, int> hops_from(const Fabric& fabric, const std::string& start) {
  std::multimap<std::string, std::string> next;
  for (std::size_t i = 0; i < fabric.links(); ++i) {
    const Ends ends = ends_of(fabric, LinkId(i));
    next.emplace(ends.from, ends.to);
  }
  std::map<std::string, int> hops{{start, 0}};
  std::queue<std::string> open({start});
  for (; !open.empty(); open.pop()) {
    const auto [begin, end] = next.equal_range(open.front());
    for (auto it = begin; it != end; ++it) {
      if (hops.emplace(it->second, hops[open.front()] + 1).second) open.push(it->second);
    }
  }
  return hops;
}

LevelSpec random_level(Random& random, int number) {
  constexpr LevelKind kKinds[] = {LevelKind::switched, LevelKind::ring, LevelKind::mesh,
                                  LevelKind::torus,    LevelKind::full, LevelKind::rail};
  LevelSpec spec = shaped(kKinds[draw(random, 0, 5)], {draw(random, 1, 4), draw(random, 1, 3)});
  spec.name = "level" + std::string(1, static_cast<char>('a' + number));
  spec.latency = Seconds(draw(random, 0, 5) * 1e-6);
  if (spec.kind != LevelKind::mesh && spec.kind != LevelKind::torus) spec.shape.clear();
  return spec;
}

ClusterSpec random_cluster(Random& random, int most_levels) {
  ClusterSpec spec;
  const int count = draw(random, 1, most_levels);
  for (int number = 0; number < count; ++number) spec.levels.push_back(random_level(random, number));
  return spec;
}

/// Kills some links of a cluster that is known to build, by the names of their ends.
void add_dead_links(ClusterSpec& spec, Random& random, int count) {
  const Fabric whole = build(spec);
  for (int i = 0; whole.links() > 0 && i < count; ++i) {
    const Ends ends =
        ends_of(whole, LinkId(static_cast<std::size_t>(draw(random, 0, static_cast<int>(whole.links()) - 1))));
    spec.faults.push_back(dead_between(ends.from, ends.to));
  }
}

/// The route begins and ends right, each link begins where the last one ended, no node twice, latencies add up.
void expect_connected(const Fabric& fabric, DeviceId from, DeviceId to, const Route& route) {
  std::string at = fabric.device_name(from);
  std::set<std::string> seen{at};
  for (const LinkId id : route.links) {
    const Ends ends = ends_of(fabric, id);
    ASSERT_EQ(ends.from, at);
    at = ends.to;
    ASSERT_TRUE(seen.insert(at).second) << "passes " << at << " twice";
  }
  ASSERT_EQ(at, fabric.device_name(to));
}

/// All that must hold for the routes of a pair that is joined.
void expect_good_routes(const Fabric& fabric, DeviceId from, DeviceId to) {
  const std::vector<Route> routes = fabric.routes(from, to);
  std::set<std::vector<LinkId>> distinct;
  for (const Route& route : routes) {
    expect_connected(fabric, from, to, route);
    EXPECT_EQ(route.links.size(), routes[0].links.size());
    EXPECT_TRUE(distinct.insert(route.links).second) << "the same route twice";
  }
  EXPECT_LE(routes.size(), Fabric::kMaxEqualPaths);
  Route route;
  fabric.first_route(from, to, route);
  EXPECT_EQ(route.links, routes[0].links);
  EXPECT_EQ(route.latency, routes[0].latency);
}

TEST(RandomCluster, EveryRouteIsConnected) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const Fabric fabric = build(random_cluster(random, 3));
    const int last = static_cast<int>(fabric.devices()) - 1;
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(seed);
      expect_good_routes(fabric, device(static_cast<std::uint32_t>(draw(random, 0, last))),
                         device(static_cast<std::uint32_t>(draw(random, 0, last))));
    }
  }
}

TEST(RandomCluster, RouteOfOneLevelIsShortest) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const Fabric fabric = build(random_cluster(random, 1));
    const auto from = static_cast<std::uint32_t>(draw(random, 0, static_cast<int>(fabric.devices()) - 1));
    const std::map<std::string, int> hops = hops_from(fabric, fabric.device_name(device(from)));
    for (std::uint32_t to = 0; to < fabric.devices(); ++to) {
      SCOPED_TRACE(seed);
      EXPECT_EQ(static_cast<int>(first(fabric, from, to).links.size()), hops.at(fabric.device_name(device(to))));
    }
  }
}

TEST(RandomCluster, LatencyIsTheSumOverTheLevelsCrossed) {
  // Switched levels only: the latency of a route is that of the innermost common level.
  for (unsigned seed = 0; seed < 50; ++seed) {
    Random random(seed);
    ClusterSpec spec = random_cluster(random, 3);
    for (LevelSpec& one : spec.levels) one.kind = LevelKind::switched, one.shape.clear();
    const Fabric fabric = build(spec);
    for (std::uint32_t to = 1; to < fabric.devices(); ++to) {
      const auto common = static_cast<std::size_t>(fabric.common_level(device(0), device(to)));
      EXPECT_EQ(first(fabric, 0, to).latency, to_sim_time(spec.levels[common].latency));
    }
  }
}

TEST(RandomCluster, DeadLinksLeaveARouteWhereverThereIsOne) {
  int cut_off = 0, still_joined = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ClusterSpec spec = random_cluster(random, 2);
    add_dead_links(spec, random, draw(random, 1, 12));
    const Fabric fabric = build(spec);
    const auto from = static_cast<std::uint32_t>(draw(random, 0, static_cast<int>(fabric.devices()) - 1));
    const std::map<std::string, int> hops = hops_from(fabric, fabric.device_name(device(from)));
    for (std::uint32_t to = 0; to < fabric.devices(); ++to) {
      const bool joined = hops.count(fabric.device_name(device(to))) != 0;
      (joined ? still_joined : cut_off) += 1;
      if (joined) {
        expect_good_routes(fabric, device(from), device(to));
      } else {
        EXPECT_THROW((void)first(fabric, from, to), SimError);
      }
    }
  }
  EXPECT_GT(cut_off, 50) << "too few cases to mean anything";
  EXPECT_GT(still_joined, 500);
}

TEST(RandomCluster, GraphRoutesAreShortestByLinks) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ClusterSpec spec;
    const int nodes = draw(random, 2, 14);
    for (int i = 0; i < nodes; ++i) spec.nodes.push_back(node("n" + std::to_string(i)));
    for (int i = 0; i < 2 * nodes; ++i) {
      const int a = draw(random, 0, nodes - 1), b = draw(random, 0, nodes - 1);
      if (a != b)
        spec.links.push_back(link("n" + std::to_string(a), "n" + std::to_string(b), 1e9, draw(random, 0, 3) * 1e-6));
    }
    const Fabric fabric = build(spec);
    const std::map<std::string, int> hops = hops_from(fabric, "n0");
    for (std::uint32_t to = 1; to < fabric.devices(); ++to) {
      const auto found = hops.find(fabric.device_name(device(to)));
      if (found == hops.end()) continue;
      EXPECT_EQ(static_cast<int>(first(fabric, 0, to).links.size()), found->second);
      expect_good_routes(fabric, device(0), device(to));
    }
  }
}

}  // namespace
}  // namespace stepsim::topology_test
