#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/studies/closed_form.h"
#include "sim/studies/stress_study.h"
#include "tests/unit/studies/ideal_scenario.h"

namespace stepsim {
namespace {

constexpr double kOnePercent = 0.01;

double found(const Scenario& scenario, std::size_t index = 0) {
  return stress_study(scenario).thresholds.at(index).simulated.value();
}

Scenario find(const char* key, int tokens = 16000) {
  Scenario scenario = ideal_ring(tokens);
  scenario.stress->find = {key};
  return scenario;
}

TEST(StressSettings, ListsAreCrossed) {
  Scenario scenario = ideal_ring(8000);
  EXPECT_EQ(cross_settings(scenario).size(), 1u);
  scenario.stress->seq_len = {4000, 8000};
  scenario.stress->hop_bandwidth = {1, 0.5, 0.25};
  scenario.stress->kernel_jitter = {0, 0.05};
  const std::vector<StressSetting> settings = cross_settings(scenario);
  ASSERT_EQ(settings.size(), 12u);
  EXPECT_EQ(settings[1].seq_len, 8000);  // the tokens change fastest
  EXPECT_EQ(settings[2].hop_bandwidth, 0.5);
  EXPECT_EQ(settings[11].kernel_jitter, 0.05);  // the jitter slowest
}

TEST(StressSettings, ASlowRankReplacesItsEarlierSlowdown) {
  Scenario scenario = ideal_ring(8000);
  scenario.stress->slow_rank = 3;
  scenario.perturb.slow_ranks = {{.rank = 3, .slowdown = 2}, {.rank = 1, .slowdown = 1.5}};
  StressSetting setting = setting_of(scenario);
  setting.slowdown = 1.2;
  const Scenario slow = at_setting(scenario, setting, {"wire"});
  ASSERT_EQ(slow.perturb.slow_ranks.size(), 2u);
  EXPECT_EQ(slow.perturb.slow_ranks[1].slowdown, 1.2);
  EXPECT_TRUE(slow.cluster.faults.empty());  // full bandwidth needs no fault
  setting.slowdown = 1;
  EXPECT_EQ(at_setting(scenario, setting, {"wire"}).perturb.slow_ranks.size(), 1u);
}

// hop 2 (s/n) n_kv d e / B, block 2 (s/n)^2 n_q d / C (physics.md): at s = 8,000, n = 4
// hop = 2 x 2000 x 2 x 128 x 2 / 50e9 = 40.96 us, block = 2 x 2000^2 x 8 x 128 / 100e12 = 81.92 us.
TEST(Stress, HopAndBlockTimesAreThoseOfTheFormulas) {
  const StressResult result = stress_study(ideal_ring(8000));
  ASSERT_EQ(result.points.size(), 1u);
  const StressPoint& point = result.points[0];
  EXPECT_NEAR(point.hop.value(), 40.96e-6, 40.96e-12);
  EXPECT_NEAR(point.block.value(), 81.92e-6, 81.92e-12);
  EXPECT_NEAR(point.margin.mean, 0.5, 1e-6);
  EXPECT_EQ(point.exposed_cp_s.mean, 0);
  EXPECT_EQ(point.hidden.mean, 1);
  EXPECT_EQ(result.ring_classes, std::vector<std::string>{"wire"});
}

// At s = 2,000 the hop is 10.24 us and the block 5.12 us: each of the 3 hops of 8 layers sticks out by 5.12 us.
TEST(Stress, BelowTheThresholdTheHopSticksOut) {
  const StressPoint point = stress_study(ideal_ring(2000)).points[0];
  EXPECT_NEAR(point.margin.mean, -1, 1e-6);
  EXPECT_NEAR(point.exposed_cp_s.mean, 8 * 3 * 5.12e-6, 1e-9);
  EXPECT_NEAR(point.hidden.mean, 0.5, 1e-3);
}

TEST(StressFind, TokensEqualTheClosedForm) {
  EXPECT_NEAR(found(find("seq_len")), 4000, 4000 * kOnePercent);
  EXPECT_NEAR(found(find("seq_len", 800)), 4000, 4000 * kOnePercent);  // from below
  EXPECT_NEAR(stress_study(find("seq_len")).thresholds[0].closed_form.value(), 4000, 1e-6);
}

TEST(StressFind, AContiguousSplitHasTheSameThreshold) {
  // The last rank's first block is half a square, as each of the zigzag's: 2 (s/n)^2 n_q d.
  Scenario scenario = find("seq_len");
  scenario.context_parallel.causal_balance = CausalBalance::contiguous;
  EXPECT_NEAR(found(scenario), 4000, 4000 * kOnePercent);
}

TEST(StressFind, HalfTheBandwidthDoublesTheThreshold) {
  Scenario scenario = find("seq_len");
  scenario.stress->hop_bandwidth = {1, 0.5};
  EXPECT_NEAR(found(scenario, 0), 4000, 4000 * kOnePercent);
  EXPECT_NEAR(found(scenario, 1), 8000, 8000 * kOnePercent);
}

TEST(StressFind, ASlowRankLowersTheThreshold) {
  // The ring waits for the slow rank, whose blocks take 1.25 times as long: 4,000 / 1.25.
  Scenario scenario = find("seq_len");
  scenario.stress->slow_rank = 3;
  scenario.stress->slowdown = {1, 1.25};
  EXPECT_NEAR(found(scenario, 1), 3200, 3200 * kOnePercent);
  EXPECT_NEAR(stress_study(scenario).thresholds[1].closed_form.value(), 3200, 1e-6);
}

TEST(StressFind, OfAContiguousSplitOnlyTheLastRankSetsThePace) {
  Scenario scenario = find("seq_len");
  scenario.context_parallel.causal_balance = CausalBalance::contiguous;
  scenario.stress->slowdown = {1.25};
  for (const auto& [rank, threshold] : {std::pair{1u, 4000.0}, std::pair{3u, 3200.0}}) {
    scenario.stress->slow_rank = rank;
    EXPECT_NEAR(found(scenario), threshold, threshold * kOnePercent) << rank;
    EXPECT_NEAR(stress_study(scenario).thresholds[0].closed_form.value(), threshold, 1e-6) << rank;
  }
}

TEST(StressFind, BandwidthEqualsTheClosedForm) {
  // At s = 16,000, four times the threshold, a quarter of the bandwidth is enough; at 2,000 it takes twice as much.
  EXPECT_NEAR(found(find("hop_bandwidth", 16000)), 0.25, 0.25 * kOnePercent);
  EXPECT_NEAR(found(find("hop_bandwidth", 2000)), 2, 2 * kOnePercent);
  EXPECT_NEAR(stress_study(find("hop_bandwidth", 16000)).thresholds[0].closed_form.value(), 0.25, 1e-9);
}

TEST(StressFind, TheThresholdIsTheSameForEveryJitter) {
  Scenario scenario = find("seq_len");
  scenario.stress->kernel_jitter = {0, 0.05};
  scenario.stress->seeds = 2;
  EXPECT_EQ(stress_study(scenario).thresholds.size(), 1u);  // jitter is left out of the search
}

// With P cached tokens the ring of zigzag hides from X - P + sqrt(X^2 + P^2), X half of the threshold without a cache
// (closed_form.cpp); a very long cache leaves the rectangle's X.
TEST(ClosedForm, CachedTokensLowerTheThreshold) {
  Scenario scenario = ideal_ring(8000);
  const BytesPerSecond bandwidth(50e9);
  EXPECT_NEAR(hiding_seq_len(scenario, bandwidth, 1).value(), 4000, 1e-9);
  scenario.workload.cached_len = 1'000'000'000;
  EXPECT_NEAR(hiding_seq_len(scenario, bandwidth, 1).value(), 2000, 0.01);
}

TEST(ClosedForm, TpSplitsQueriesButNotTheLastKvHead) {
  Scenario scenario = ideal_ring(8000);
  scenario.layout.tp = 4;  // 2 query heads and 1 (replicated) KV head a rank: half of the ratio is lost
  EXPECT_NEAR(hiding_seq_len(scenario, BytesPerSecond(50e9), 1).value(), 8000, 1e-9);
}

TEST(ClosedForm, DoesNotHoldForMla) {
  Scenario scenario = ideal_ring(8000);
  scenario.model.mla.kv_rank = 512;
  EXPECT_FALSE(hiding_seq_len(scenario, BytesPerSecond(50e9), 1));
  EXPECT_FALSE(hiding_bandwidth(scenario, 1));
}

TEST(Stress, JitterIsReportedOverTheSeeds) {
  Scenario scenario = ideal_ring(8000);
  scenario.stress->kernel_jitter = {0, 0.05};
  scenario.stress->seeds = 8;
  const StressResult result = stress_study(scenario);
  ASSERT_EQ(result.points.size(), 2u);
  EXPECT_EQ(result.points[0].seeds, 1);
  EXPECT_EQ(result.points[0].step_s.mean, result.points[0].step_s.bad);
  EXPECT_EQ(result.points[1].seeds, 8);
  EXPECT_GT(result.points[1].step_s.mean, result.points[0].step_s.mean);  // a ring waits for the slowest
  EXPECT_GT(result.points[1].step_s.bad, result.points[1].step_s.mean);
  EXPECT_LT(result.points[1].margin.bad, result.points[1].margin.mean);
}

TEST(Stress, SaysWhatItNeeds) {
  Scenario scenario = ideal_ring(8000);
  scenario.layout.cp = 1;
  scenario.cluster.levels[0].size = 1;
  EXPECT_THROW(stress_study(scenario), SimError);
  scenario = ideal_ring(8000);
  scenario.stress.reset();
  EXPECT_THROW(stress_study(scenario), SimError);
}

TEST(Stress, ALengthThatDoesNotSplitIsAnError) {
  Scenario scenario = ideal_ring(8000);
  scenario.stress->seq_len = {8001};
  EXPECT_THROW(stress_study(scenario), SimError);
}

}  // namespace
}  // namespace stepsim
