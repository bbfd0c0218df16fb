#include "sim/engine/jitter.h"

#include <cmath>
#include <numbers>

#include "sim/engine/colouring.h"

namespace stepsim {
namespace {

/// In (0, 1], from the upper 53 bits.
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 1.0) * 0x1.0p-53; }

}  // namespace

double jitter_factor(double sigma, std::uint64_t seed, JitterStream stream, std::uint64_t subject,
                     std::uint64_t index) {
  if (sigma <= 0) return 1;
  const Colour key = mix(mix(mix(seed, static_cast<std::uint64_t>(stream)), subject), index);
  const double radius = std::sqrt(-2 * std::log(uniform(mix(key, 1))));
  return std::exp(sigma * radius * std::cos(2 * std::numbers::pi * uniform(mix(key, 2))));
}

SimTime scaled(SimTime span, double factor) {
  if (factor == 1) return span;
  return SimTime(std::llround(static_cast<double>(span.ps()) * factor));
}

}  // namespace stepsim
