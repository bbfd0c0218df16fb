#include "sim/engine/flow_bundle.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace stepsim {

namespace {

DeviceId device_of(RankId rank) { return DeviceId(rank.index()); }

/// The outermost level that a group spans.
int level_of(const std::vector<RankId>& members, const Fabric& fabric) {
  int level = 0;
  for (const RankId member : members) {
    level = std::max(level, fabric.common_level(device_of(members[0]), device_of(member)));
  }
  return level;
}

std::int64_t times(std::int64_t n) { return std::max<std::int64_t>(n, 0); }

}  // namespace

FlowBundle BundleMaker::make(const FlowKey& key, std::vector<RankId> members) {
  FlowBundle bundle;
  bundle.key = key;
  bundle.members = std::move(members);
  bundle.shape = shape_of(bundle.members, fabric_);
  if (bundle.members.size() < 2) return bundle;
  bundle.overhead = fabric_.collective_overhead(level_of(bundle.members, fabric_));
  if (key.pattern == FlowPattern::scalar) {
    bundle.trip_latency = doubling_latency(bundle.members);
    return bundle;
  }
  const Hops hops = add_flows(bundle);
  bundle.links = take_links();
  bundle.hop_latency = hops.longest;
  bundle.trip_latency = trip_latency(bundle, hops);
  bundle.flows_per_member = static_cast<std::int64_t>(hops.count / bundle.members.size());
  if (key.pattern == FlowPattern::pair) bundle.flows_per_member = 1;
  return bundle;
}

SimTime BundleMaker::add_flow(RankId from, RankId to) {
  fabric_.first_route(device_of(from), device_of(to), route_);
  for (const LinkId link : route_.links) {
    if (fabric_.capacity(link) == kUnlimited) continue;
    if (flows_[link.index()]++ == 0) touched_.push_back(link.index());
  }
  return route_.latency;
}

BundleMaker::Hops BundleMaker::add_flows(const FlowBundle& bundle) {
  Hops hops;
  for_each_flow(bundle.key.pattern, bundle.key.round, bundle.shape, [&](std::size_t i, std::size_t j) {
    const SimTime hop = add_flow(bundle.members[i], bundle.members[j]);
    if (hops.count++ < bundle.members.size()) hops.sum += hop;
    hops.quickest = std::min(hops.quickest, hop);
    hops.longest = std::max(hops.longest, hop);
  });
  return hops;
}

/// Ring: a chunk passes n-1 of the n hops, and the trip that skips the quickest one is the longest. Tree: up through
/// the nodes by the logarithm of their number, and along the chain of a node.
SimTime BundleMaker::trip_latency(const FlowBundle& bundle, const Hops& hops) const {
  const GroupShape& shape = bundle.shape;
  const auto depth = std::bit_width(static_cast<std::uint64_t>(shape.nodes)) - 1;
  switch (bundle.key.pattern) {
    case FlowPattern::ring:
      return hops.sum - hops.quickest;
    case FlowPattern::tree:
      return SimTime(hops.longest.ps() * depth + hops.quickest.ps() * times(shape.in_node - 1));
    case FlowPattern::node_ring:
      return SimTime(hops.longest.ps() * times(shape.in_node - 1));
    case FlowPattern::rail_ring:
      return SimTime(hops.longest.ps() * times(shape.nodes - 1));
    default:
      return hops.longest;
  }
}

/// ceil(log2 n) rounds with the partner at distance 1, 2, 4, …
SimTime BundleMaker::doubling_latency(const std::vector<RankId>& members) {
  SimTime sum;
  for (std::size_t distance = 1; distance < members.size(); distance *= 2) {
    fabric_.first_route(device_of(members[0]), device_of(members[distance]), route_);
    sum += route_.latency;
  }
  return sum;
}

std::vector<LinkUse> BundleMaker::take_links() {
  std::sort(touched_.begin(), touched_.end());
  std::vector<LinkUse> uses;
  uses.reserve(touched_.size());
  for (const std::uint32_t link : touched_) uses.push_back({link, std::exchange(flows_[link], 0)});
  touched_.clear();
  return uses;
}

}  // namespace stepsim
