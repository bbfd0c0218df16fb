#pragma once
// Whole-number arithmetic of the engine: rates and amounts that folded and unfolded runs round alike.

#include <cstdint>

#include "sim/base/sim_time.h"

namespace stepsim {

__extension__ typedef __int128 Int128;

/// A rate of one flow in 2^-16 B/s; kEndless where no link limits it.
using Rate = std::int64_t;
inline constexpr Rate kEndless = INT64_MAX;
/// An amount of data in 2^-16 B.
using Amount = std::int64_t;
inline constexpr std::int64_t kUnitsPerByte = 1 << 16;
inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

constexpr std::int64_t ceil_div(Int128 a, Int128 b) { return static_cast<std::int64_t>((a + b - 1) / b); }

/// Time to move `left` at `rate`, rounded up to a picosecond. rate > 0.
constexpr SimTime time_to_move(Amount left, Rate rate) {
  if (rate == kEndless || left <= 0) return SimTime(0);
  return SimTime(ceil_div(static_cast<Int128>(left) * kPicosecondsPerSecond, rate));
}

/// What `rate` moves in `span`, rounded down.
constexpr Amount moved_in(SimTime span, Rate rate) {
  return static_cast<Amount>(static_cast<Int128>(rate) * span.ps() / kPicosecondsPerSecond);
}

/// payload * numerator / denominator in units, rounded up: no flow carries less than its share.
constexpr Amount share_of(std::int64_t payload_bytes, std::int64_t numerator, std::int64_t denominator) {
  return ceil_div(static_cast<Int128>(payload_bytes) * kUnitsPerByte * numerator, denominator);
}

}  // namespace stepsim
