// Is a span of seconds turned into the right whole number of picoseconds?
#include "sim/base/sim_time.h"

#include <gtest/gtest.h>

#include <limits>

#include "sim/base/error.h"

namespace stepsim {
namespace {

TEST(SimTime, WholePicosecondsAreExact) {
  EXPECT_EQ(to_sim_time(Seconds(0)).ps(), 0);
  EXPECT_EQ(to_sim_time(Seconds(2e-6)).ps(), 2'000'000);
  EXPECT_EQ(to_sim_time(Seconds(1)).ps(), 1'000'000'000'000);
  EXPECT_EQ(to_sim_time(Seconds(-3e-9)).ps(), -3000);
}

TEST(SimTime, HalvesGoAwayFromZero) {
  // 1e12 = 2^12 x 5^12, so 2^-13 s is an exact half: 122,070,312.5 ps. Half to even would end in 312.
  EXPECT_EQ(to_sim_time(Seconds(0x1p-13)).ps(), 122'070'313);
  EXPECT_EQ(to_sim_time(Seconds(-0x1p-13)).ps(), -122'070'313);
  EXPECT_EQ(to_sim_time(Seconds(0.4e-12)).ps(), 0);
  EXPECT_EQ(to_sim_time(Seconds(0.6e-12)).ps(), 1);
}

TEST(SimTime, FiftyThreeDaysAreTheLimit) {
  const double limit = 53.0 * 86400;  // 4,579,200 s
  EXPECT_EQ(to_sim_time(Seconds(limit)).ps(), 4'579'200'000'000'000'000);
  EXPECT_EQ(to_sim_time(Seconds(-limit)).ps(), -4'579'200'000'000'000'000);
  EXPECT_THROW(to_sim_time(Seconds(limit + 1)), SimError);
  EXPECT_THROW(to_sim_time(Seconds(-limit - 1)), SimError);
}

TEST(SimTime, TwoOfTheLongestSpansAddWithoutOverflow) {
  const SimTime longest = to_sim_time(Seconds(53.0 * 86400));
  EXPECT_LT(longest + longest, SimTime::never());
}

TEST(SimTime, WhatIsNotFiniteIsAnError) {
  EXPECT_THROW(to_sim_time(Seconds(std::numeric_limits<double>::infinity())), SimError);
  EXPECT_THROW(to_sim_time(Seconds(-std::numeric_limits<double>::infinity())), SimError);
  EXPECT_THROW(to_sim_time(Seconds(std::numeric_limits<double>::quiet_NaN())), SimError);
}

TEST(SimTime, GoesBackToSeconds) { EXPECT_DOUBLE_EQ(to_seconds(SimTime(2'500'000)).value(), 2.5e-6); }

}  // namespace
}  // namespace stepsim
