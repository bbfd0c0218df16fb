// Max-min fair rates: small systems solved by hand, and the bottleneck certificate on random ones.

#include "sim/engine/maxmin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/random_cases.h"

namespace stepsim {
namespace {

using Uses = std::vector<std::vector<LinkUse>>;

std::vector<Rate> solve(const Uses& uses, const std::vector<Capacity>& capacity) {
  std::vector<std::span<const LinkUse>> spans(uses.begin(), uses.end());
  std::vector<Rate> rates;
  max_min_rates(spans, capacity, rates);
  return rates;
}

// System: x + y <= 10 on link 0. Expectation: x = y = 5.
TEST(MaxMin, TwoFlowsShareALink) { EXPECT_EQ(solve({{{0, 1}}, {{0, 1}}}, {10}), (std::vector<Rate>{5, 5})); }

// The linear network: x crosses both links, y the first, z the second; capacities 10 and 100.
// Link 0 is tighter: 10/2 = 5 < 100/2; x = y = 5; link 1 keeps 95 for z.
TEST(MaxMin, LinearNetwork) {
  EXPECT_EQ(solve({{{0, 1}, {1, 1}}, {{0, 1}}, {{1, 1}}}, {10, 100}), (std::vector<Rate>{5, 5, 95}));
}

// Weights: x has 3 flows on the link, y one: 3x + y <= 20, flows are equal: x = y = 5.
TEST(MaxMin, FlowsCountNotActivities) { EXPECT_EQ(solve({{{0, 3}}, {{0, 1}}}, {20}), (std::vector<Rate>{5, 5})); }

// x crosses link 0 once and link 1 four times: min(30/1, 40/4) = 10; y alone on link 0 gets the rest: 20.
TEST(MaxMin, TightestLinkOfAnActivityRules) {
  EXPECT_EQ(solve({{{0, 1}, {1, 4}}, {{0, 1}}}, {30, 40}), (std::vector<Rate>{10, 20}));
}

// Rates are rounded down once: three flows on 10 get 3 each.
TEST(MaxMin, RoundsDownOnce) { EXPECT_EQ(solve({{{0, 1}}, {{0, 1}}, {{0, 1}}}, {10}), (std::vector<Rate>{3, 3, 3})); }

// Two links tied at 10/2 = 5 freeze together: all of a, b (link 0) and c, d (link 1) get 5, and e, which shares link 2
// (capacity 12) with a and c, gets 12 - 5 - 5 = 2? No: 12/3 = 4 < 5 freezes a, c, e at 4 first; then b = d = 6.
TEST(MaxMin, ThirdLinkIsTighterThanTwoTied) {
  EXPECT_EQ(solve({{{0, 1}, {2, 1}}, {{0, 1}}, {{1, 1}, {2, 1}}, {{1, 1}}, {{2, 1}}}, {10, 10, 12}),
            (std::vector<Rate>{4, 6, 4, 6, 4}));
}

TEST(MaxMin, UnlimitedLinksDoNotLimit) {
  EXPECT_EQ(solve({{{0, 1}}, {{0, 1}, {1, 1}}}, {kUnlimited, 7}), (std::vector<Rate>{kEndless, 7}));
}

TEST(MaxMin, NeverZero) { EXPECT_EQ(solve({{{0, 5}}}, {3}), (std::vector<Rate>{1})); }

// A feasible allocation is max-min fair exactly if every flow has a bottleneck: a saturated link on which no flow is
// faster (Bertsekas and Gallager, section 6.5.2). Rounding down leaves less than one unit for each flow on a link, and
// what rounded-down flows leave reaches others: a slack of `flows` units on saturated links, and of the same on rates.
TEST(MaxMin, EveryFlowHasABottleneckOnRandomSystems) {
  std::mt19937_64 random(7);
  for (int round = 0; round < random_cases(10'000); ++round) {
    const std::size_t links = 1 + random() % 6;
    const std::size_t activities = 1 + random() % 8;
    std::vector<Capacity> capacity;
    for (std::size_t l = 0; l < links; ++l)
      capacity.push_back(1'000'000 + static_cast<Capacity>(random() % 50'000'000));
    Uses uses(activities);
    for (auto& row : uses) {
      for (std::uint32_t l = 0; l < links; ++l) {
        if (random() % 2 == 0) row.push_back({l, 1 + static_cast<std::int64_t>(random() % 4)});
      }
      if (row.empty()) row.push_back({static_cast<std::uint32_t>(random() % links), 1});
    }
    const std::vector<Rate> rates = solve(uses, capacity);
    std::vector<std::int64_t> load(links, 0), flows(links, 0), fastest(links, 0);
    for (std::size_t a = 0; a < activities; ++a) {
      for (const LinkUse& use : uses[a]) {
        load[use.link] += use.flows * rates[a];
        flows[use.link] += use.flows;
        fastest[use.link] = std::max(fastest[use.link], rates[a]);
      }
    }
    for (std::size_t l = 0; l < links; ++l) ASSERT_LE(load[l], capacity[l]) << "round " << round;
    for (std::size_t a = 0; a < activities; ++a) {
      const bool bottleneck = std::any_of(uses[a].begin(), uses[a].end(), [&](const LinkUse& use) {
        return capacity[use.link] - load[use.link] < flows[use.link] && fastest[use.link] - rates[a] <= flows[use.link];
      });
      ASSERT_TRUE(bottleneck) << "round " << round << " activity " << a;
    }
  }
}

// Equal parts get the rates of one part alone: k copies of a random system, side by side and merged on links k times as
// wide, give the same rates.
TEST(MaxMin, CopiesGetTheRatesOfOne) {
  std::mt19937_64 random(11);
  for (int round = 0; round < random_cases(2'000); ++round) {
    const std::int64_t copies = 2 + static_cast<std::int64_t>(random() % 5);
    Uses one(1 + random() % 5);
    std::vector<Capacity> capacity;
    for (int l = 0; l < 4; ++l) capacity.push_back(1'000 + static_cast<Capacity>(random() % 1'000'000));
    for (auto& row : one) {
      for (std::uint32_t l = 0; l < 4; ++l) {
        if (random() % 2 == 0) row.push_back({l, 1 + static_cast<std::int64_t>(random() % 3)});
      }
    }
    const auto alone = solve(one, capacity);
    Uses many;
    std::vector<Capacity> wide;
    for (std::uint32_t c = 0; c < copies; ++c) {
      for (auto row : one) {
        for (LinkUse& use : row) use.link += 4 * c;
        many.push_back(row);
      }
      wide.insert(wide.end(), capacity.begin(), capacity.end());
    }
    const auto together = solve(many, wide);
    for (std::size_t i = 0; i < together.size(); ++i)
      ASSERT_EQ(together[i], alone[i % one.size()]) << "round " << round;
  }
}

}  // namespace
}  // namespace stepsim
