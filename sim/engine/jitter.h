#pragma once
// Random disturbances. Each draw has its own key, so that adding one disturbance leaves the others as they were.

#include <cstdint>

#include "sim/base/sim_time.h"

namespace stepsim {

enum class JitterStream : std::uint64_t { kernel = 1, hop = 2 };

/// exp(sigma z), z standard normal (Box-Muller on two hashed uniforms): log-normal with median 1. The same key gives
/// the same draw on every machine and thread count. `subject` is a rank, `index` an op of its program.
double jitter_factor(double sigma, std::uint64_t seed, JitterStream stream, std::uint64_t subject, std::uint64_t index);

/// A span times a factor, rounded to the picosecond.
SimTime scaled(SimTime span, double factor);

}  // namespace stepsim
