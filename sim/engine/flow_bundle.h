#pragma once
// Turns a pattern on a group into flows on links.

#include <vector>

#include "sim/engine/traffic.h"

namespace stepsim {

class BundleMaker {
 public:
  explicit BundleMaker(const Fabric& fabric) : fabric_(fabric), flows_(fabric.links(), 0) {}

  /// `members` in ring order; pair: sender, receiver.
  FlowBundle make(const FlowKey& key, std::vector<RankId> members);

 private:
  /// Latencies of the flows of a pattern.
  struct Hops {
    SimTime sum, quickest = SimTime::never(), longest;
    std::size_t count = 0;
  };

  SimTime add_flow(RankId from, RankId to);
  Hops add_flows(const FlowBundle& bundle);
  [[nodiscard]] SimTime trip_latency(const FlowBundle& bundle, const Hops& hops) const;
  SimTime doubling_latency(const std::vector<RankId>& members);
  std::vector<LinkUse> take_links();

  const Fabric& fabric_;
  std::vector<std::int64_t> flows_;  ///< by link, of the bundle that is being made
  std::vector<std::uint32_t> touched_;
  Route route_;
};

}  // namespace stepsim
