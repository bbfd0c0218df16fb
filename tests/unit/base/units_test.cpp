// Does the arithmetic of quantities keep dimensions?
#include "sim/base/units.h"

#include <gtest/gtest.h>

#include <concepts>

namespace stepsim {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

static_assert(std::same_as<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Flops(1) / Seconds(1)), FlopsPerSecond>);
static_assert(std::same_as<decltype(BytesPerSecond(1) * Seconds(1)), Bytes>);
static_assert(std::same_as<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Bytes(6) / Bytes(2)), double>);
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, Seconds>);
static_assert(!Addable<Bytes, double>);
static_assert(!Comparable<Bytes, Seconds>);
static_assert(!std::convertible_to<double, Bytes>);
static_assert(!std::convertible_to<Bytes, double>);
static_assert(sizeof(Seconds) == sizeof(double));

TEST(Units, BytesOverBandwidthIsTime) {
  // 900 GB over 450 GB/s take 2 s.
  EXPECT_EQ((Bytes(900e9) / BytesPerSecond(450e9)).value(), 2.0);
}

TEST(Units, SumsAndScalesKeepTheNumber) {
  Seconds t(1.5);
  t += Seconds(0.5);
  t -= Seconds(1.0);
  t *= 4;
  EXPECT_EQ(t, Seconds(4.0));
  EXPECT_EQ(2 * t / 8, Seconds(1.0));
  EXPECT_EQ(-t, Seconds(-4.0));
  EXPECT_LT(Seconds(1), Seconds(2));
}

}  // namespace
}  // namespace stepsim
