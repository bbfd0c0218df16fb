#pragma once
// Ranks that provably behave alike become one actor, links that carry alike become one link.
//
// Colour refinement on ranks, bundles of flows and links: a rank's colour is its program and disturbances and the
// colours of its bundles; a bundle's that of its members and links; a link's that of the bundles that cross it. At the
// fixed point the partition is equitable: each link of a class is crossed by the same number of flows of each class of
// bundles, so the max-min system of the classes has the rates of the full one (Grohe et al., "Dimension Reduction via
// Colour Refinement", ESA 2014), and with the engine's exact arithmetic the same rounding.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/engine/options.h"
#include "sim/engine/traffic.h"

namespace stepsim {

inline constexpr std::uint32_t kNone = 0xffffffff;

/// All bundles of one colour.
struct BundleClass {
  FlowKey key;
  GroupShape shape;
  std::vector<LinkUse> links;  ///< by class of links: flows of all its bundles that cross each link of the class
  Rate solo_rate = kEndless;   ///< of a flow while nothing else runs
  std::int64_t members = 2;    ///< of one bundle
  std::int64_t flows_per_member = 1;
  SimTime trip_latency, hop_latency, overhead;
  std::vector<std::uint32_t> actors;  ///< distinct actors among its members; pair: sender, receiver
};

struct ActorClass {
  ProgramId program;
  std::vector<RankId> ranks;
  double slowdown = 1;
  std::vector<std::uint32_t> bundle_of_key;  ///< by number of the key: class of its bundle, kNone where it has none
  std::array<std::uint32_t, kGroupKinds> group{};  ///< class of its group of each kind (its `scalar` bundle), or kNone
  std::uint32_t hop_out = kNone, hop_in = kNone;   ///< classes of its hop to the next and from the previous
  std::map<std::int16_t, std::uint32_t> send_bundle;  ///< by pipeline coordinate of the receiver
};

struct Folding {
  std::vector<ActorClass> actors;
  std::vector<std::uint32_t> actor_of_rank;
  std::vector<BundleClass> bundles;
  std::vector<Capacity> link_capacity;  ///< by class of links
};

/// Without folding, or with jitter, every rank is an actor of its own.
Folding fold(const StepGraph& graph, const Fabric& fabric, const Traffic& traffic, const SimulationOptions& options,
             const Perturbation& perturbation);

}  // namespace stepsim
