#pragma once
// Colour refinement on ranks, bundles of flows and links.

#include <cstdint>
#include <vector>

#include "sim/engine/traffic.h"

namespace stepsim {

using Colour = std::uint64_t;

struct Colouring {
  std::vector<Colour> ranks, bundles;
  std::vector<Colour> links;  ///< by LinkId; only links that carry something have a meaning
};

/// Mixes a value into a colour (the finaliser of SplitMix64, Steele et al. 2014).
Colour mix(Colour colour, std::uint64_t value);

/// Refines `start` until no class splits any more.
Colouring refine(Colouring start, const Traffic& traffic);

}  // namespace stepsim
