#include "sim/studies/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/studies/expectation.h"
#include "tests/support/sample_run.h"

namespace stepsim {
namespace {

TEST(Metrics, NestedNumbersHaveDottedNames) {
  const RunResult run = sample_run();
  EXPECT_EQ(metric_value(run, "step_time_s"), 10.0);
  EXPECT_EQ(metric_value(run, "breakdown_s.exposed.pp"), 0.125);
  EXPECT_EQ(metric_value(run, "memory_bytes_per_gpu.optimizer"), 30 * 1073741824.0);
  EXPECT_EQ(metric_value(run, "fits"), 1.0);
  EXPECT_EQ(metric_value(run, "no_such_thing"), std::nullopt);
}

TEST(Metrics, AnAxisThatSentNothingHasNoHiddenShare) {
  EXPECT_EQ(metric_value(sample_run(), "hidden_comm_fraction.dp"), std::nullopt);
  EXPECT_EQ(metric_value(sample_run(), "hidden_comm_fraction.tp"), 0.2);
}

TEST(Metrics, NamesDependOnTheKindOnly) {
  const auto has = [](WorkloadKind kind, const char* name) {
    const std::vector<std::string> names = metric_names(kind);
    return std::count(names.begin(), names.end(), name) == 1;
  };
  EXPECT_TRUE(has(WorkloadKind::training, "step_time_s"));
  EXPECT_FALSE(has(WorkloadKind::training, "ttft_s"));
  EXPECT_TRUE(has(WorkloadKind::prefill, "ttft_s"));
  EXPECT_TRUE(has(WorkloadKind::decode, "tpot_s"));
}

TEST(Metrics, WithoutAPeakForTheDtypeThereIsNoMfu) {
  RunResult run = sample_run();
  run.scenario.workload.linear_dtype = Dtype::fp8;
  EXPECT_EQ(metric_value(run, "mfu"), std::nullopt);
}

Expectation expectation(double tolerance, bool relative = false) {
  Expectation expected;
  expected.metric = "step_time_s";  // 10 in the sample
  expected.tolerance = tolerance;
  expected.relative = relative;
  return expected;
}

bool holds(const Expectation& expected) {
  RunResult run = sample_run();
  run.scenario.expect = {expected};
  return all_hold(check_expectations(run));
}

TEST(Expect, EqualsWithAbsoluteAndRelativeTolerance) {
  Expectation expected = expectation(0.5);
  expected.equals = 10.5;
  EXPECT_TRUE(holds(expected));
  expected.equals = 10.6;
  EXPECT_FALSE(holds(expected));
  expected = expectation(0.1, true);
  expected.equals = 11;  // 11 - 1.1 <= 10
  EXPECT_TRUE(holds(expected));
  expected.equals = 11.2;  // 11.2 - 1.12 > 10
  EXPECT_FALSE(holds(expected));
}

TEST(Expect, BoundsAreInclusive) {
  Expectation expected = expectation(0);
  expected.at_least = 10;
  expected.at_most = 10;
  EXPECT_TRUE(holds(expected));
  expected.at_least = 10.01;
  EXPECT_FALSE(holds(expected));
  expected = expectation(0);
  expected.between = {9, 11};
  EXPECT_TRUE(holds(expected));
  expected.between = {10.5, 11};
  EXPECT_FALSE(holds(expected));
}

TEST(Expect, AMetricWithoutAValueNeverHolds) {
  Expectation expected = expectation(1e9);
  expected.metric = "hidden_comm_fraction.dp";
  expected.at_least = 0;
  EXPECT_FALSE(holds(expected));
}

TEST(Expect, InWords) {
  Expectation expected = expectation(0.0001);
  expected.equals = 0.272727;
  EXPECT_EQ(in_words(expected), "0.272727 +- 0.0001");
  expected = expectation(0.05, true);
  expected.between = {1, 2};
  EXPECT_EQ(in_words(expected), "1 to 2 +- 5 %");
}

TEST(Expect, UnknownMetricsNameTheNearest) {
  Scenario scenario = sample_scenario();
  scenario.expect = {expectation(0)};
  scenario.expect[0].metric = "step_tme_s";
  scenario.expect[0].where = {.file = "a.yaml", .line = 3, .column = 5, .length = 10};
  const Diagnostics diagnostics = check_metric_names(scenario);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].where.line, 3);
  EXPECT_EQ(diagnostics.all()[0].help, "did you mean 'step_time_s'?");
}

TEST(Measured, DifferenceIsRelativeToTheMeasurement) {
  const std::vector<MeasuredResult> results = compare_with_measured(sample_run());
  ASSERT_EQ(results.size(), 1u);
  EXPECT_DOUBLE_EQ(results[0].difference.value(), 0.25);  // (10 - 8) / 8
}

}  // namespace
}  // namespace stepsim
