#include "sim/base/sim_time.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.h"

namespace stepsim {

namespace {

// Half of the int64 range is about 53.4 days, so the sum of two spans never overflows.
constexpr Seconds kLongestSpan(53.0 * 24 * 3600);
constexpr double kPicosecondsPerSecond = 1e12;

}  // namespace

SimTime to_sim_time(Seconds span) {
  if (!std::isfinite(span.value())) {
    throw SimError(fmt::format("a time span came out as {}; look for a bandwidth or a rate of zero", span.value()));
  }
  if (span > kLongestSpan || span < -kLongestSpan) {
    throw SimError(fmt::format("a time span of {:.6g} s is beyond the 53 days that the clock can hold", span.value()));
  }
  return SimTime(std::llround(span.value() * kPicosecondsPerSecond));
}

}  // namespace stepsim
