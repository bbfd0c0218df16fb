#include "sim/engine/collectives/choose.h"

#include <algorithm>

#include "sim/base/error.h"

namespace stepsim {

namespace {

/// Of a flow of the bundle while nothing else runs.
Rate solo_rate_of(const FlowBundle& bundle, const Fabric& fabric) {
  Rate rate = kEndless;
  for (const LinkUse& use : bundle.links) rate = std::min(rate, fabric.capacity(LinkId(use.link)) / use.flows);
  return std::max<Rate>(rate, 1);
}

SimTime time_of(const Phase& phase, const Comm& comm, const FlowBundle& bundle, const Fabric& fabric) {
  const SimTime latency(bundle.trip_latency.ps() * phase.trips + bundle.hop_latency.ps() * phase.hops);
  return latency + time_to_move(share_of(comm.bytes, phase.numerator, phase.denominator), solo_rate_of(bundle, fabric));
}

}  // namespace

const Algorithm* choose_algorithm(const Comm& comm, const std::vector<RankId>& members, const GroupShape& shape,
                                  const std::string& wanted, const Fabric& fabric, const BundleOf& bundle_of) {
  const Algorithm* best = nullptr;
  SimTime least = SimTime::never();
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.fits(comm, shape)) continue;
    if (algorithm.name == wanted) return &algorithm;
    if (!algorithm.automatic) continue;
    if (algorithm.name == "node_once") return &algorithm;  // what the routing says ran
    SimTime time;
    for (const Phase& phase : algorithm.phases(comm, shape)) {
      const FlowKey key{phase.pattern, comm.group, -1, static_cast<std::int16_t>(phase.round)};
      time += time_of(phase, comm, bundle_of(key, members), fabric);
    }
    if (time < least) {
      least = time;
      best = &algorithm;
    }
  }
  sim_assert(best != nullptr, "no algorithm for a collective; report this scenario");
  return best;
}

}  // namespace stepsim
