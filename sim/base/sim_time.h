#pragma once
// The clock of the engine: whole picoseconds, so that equal runs give equal bytes and parts add up exactly.

#include <compare>
#include <cstdint>
#include <limits>

#include "sim/base/units.h"

namespace stepsim {

/// A point in simulated time or a span of it, in int64 picoseconds (range +-106 days).
class SimTime {
 public:
  constexpr SimTime() = default;
  constexpr explicit SimTime(std::int64_t picoseconds) : ps_(picoseconds) {}
  [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime& operator+=(SimTime other) {
    ps_ += other.ps_;
    return *this;
  }
  constexpr SimTime& operator-=(SimTime other) {
    ps_ -= other.ps_;
    return *this;
  }
  friend constexpr SimTime operator+(SimTime a, SimTime b) { return SimTime(a.ps_ + b.ps_); }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return SimTime(a.ps_ - b.ps_); }

  /// Later than every time that a run can reach.
  static constexpr SimTime never() { return SimTime(std::numeric_limits<std::int64_t>::max()); }

 private:
  std::int64_t ps_ = 0;
};

/// Rounds to the nearest picosecond, halves away from zero. The one place where formulas become engine time.
/// Throws SimError if the span is not finite or beyond 53 days.
SimTime to_sim_time(Seconds span);

/// For reports only.
constexpr Seconds to_seconds(SimTime time) { return Seconds(static_cast<double>(time.ps()) * 1e-12); }

}  // namespace stepsim
