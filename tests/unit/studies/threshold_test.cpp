#include "sim/studies/threshold.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/studies/parallel.h"

namespace stepsim {
namespace {

// hop / block = c / s on hardware without latency, so margin = 1 - c / s and the threshold is c.
MarginAt margin_of(double c) {
  return [c](double s) { return 1 - c / s; };
}

TEST(SolveWhole, FindsTheThresholdBetweenWholeCounts) {
  // The chord of 1 - c/s between a and a + 8 is zero (c - a)(a + 8 - c)/c beside c: at most 16/c.
  for (const double c : {997.0, 1000.0, 1003.5}) {
    const Solved solved = solve_whole(margin_of(c), 8, 128000, 1 << 24);
    ASSERT_TRUE(solved.value) << c;
    EXPECT_NEAR(*solved.value, c, 16 / c);
  }
}

TEST(SolveWhole, WorksFromBothSides) {
  EXPECT_NEAR(solve_whole(margin_of(50000), 8, 1000, 1 << 24).value.value(), 50000, 1e-3);
  EXPECT_NEAR(solve_whole(margin_of(50000), 8, 1000000, 1 << 24).value.value(), 50000, 1e-3);
}

TEST(SolveWhole, SaysWhenThereIsNoThreshold) {
  EXPECT_EQ(solve_whole(margin_of(1), 8, 1000, 1 << 24).note, "always hides");
  EXPECT_EQ(solve_whole(margin_of(1e9), 8, 1000, 1 << 24).note, "never hides");
}

TEST(SolveFactor, FindsTheFactor) {
  // Bandwidth f times nominal makes the hop 1/f as long: margin = 1 - c/f.
  EXPECT_NEAR(solve_factor(margin_of(0.37), 1e-4, 1e4).value.value(), 0.37, 0.37e-4);
  EXPECT_EQ(solve_factor(margin_of(1e-6), 1e-4, 1e4).note, "always hides");
  EXPECT_EQ(solve_factor(margin_of(1e6), 1e-4, 1e4).note, "never hides");
}

TEST(RunInParallel, KeepsTheOrder) {
  const std::vector<int> squares = run_in_parallel<int>(100, [](std::size_t i) { return static_cast<int>(i * i); });
  ASSERT_EQ(squares.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(squares[static_cast<std::size_t>(i)], i * i);
}

TEST(RunInParallel, ThrowsTheErrorOfTheLowestIndex) {
  const auto run = [](std::size_t i) -> int {
    if (i >= 7) throw std::runtime_error(std::to_string(i));
    return 0;
  };
  try {
    static_cast<void>(run_in_parallel<int>(50, run));
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

TEST(RunInParallel, CountsWhatIsDone) {
  std::atomic<std::size_t> calls{0};
  static_cast<void>(run_in_parallel<int>(
      10, [](std::size_t) { return 0; }, [&](std::size_t, std::size_t total) { calls += total == 10 ? 1u : 0u; }));
  EXPECT_EQ(calls.load(), 10u);
}

}  // namespace
}  // namespace stepsim
