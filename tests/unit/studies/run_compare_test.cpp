#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/studies/compare_study.h"
#include "sim/studies/metrics.h"
#include "tests/unit/studies/ideal_scenario.h"

namespace stepsim {
namespace {

Layout pipeline_of(int stages) {
  Layout layout;
  layout.pp = stages;
  return layout;
}

Layout replicas(int count) {
  Layout layout;
  layout.dp = count;
  return layout;
}

// 1F1B on equal stages: bubble (p-1)/(m+p-1) = 3/11 of the step (Narayanan 2021).
TEST(RunStudy, TextbookPipeline) {
  const RunResult run = run_study(ideal_training(pipeline_of(4)));
  EXPECT_NEAR(metric_value(run, "bubble_fraction").value(), 3.0 / 11, 1e-6);
  EXPECT_EQ(metric_value(run, "exposed_fraction"), 0.0);
  EXPECT_EQ(metric_value(run, "microbatches"), 8.0);
  EXPECT_EQ(run.tokens, 8 * 1024);
  EXPECT_TRUE(run.fits());
}

// All that runs is model flops here, so 8/11 of the peak is reached but for the causal half of attention, which flash
// attention skips as well.
TEST(RunStudy, RatesAreThoseOfThePeakLessTheBubble) {
  const RunResult run = run_study(ideal_training(pipeline_of(4)));
  EXPECT_NEAR(metric_value(run, "hardware_tflops_per_gpu").value(), 100 * 8.0 / 11, 0.01);
}

TEST(RunStudy, PartsSumToTheStep) {
  const RunResult run = run_study(ideal_training(pipeline_of(4)));
  const MeanParts& mean = run.report.mean;
  const Seconds sum = mean.compute + exposed_time(mean) + mean.bubble + mean.peer_wait + mean.host;
  EXPECT_NEAR(sum.value(), run.step().value(), 1e-12);
}

TEST(RunStudy, ImpossibleLayoutsAreErrors) {
  Scenario scenario = ideal_training(pipeline_of(4));
  scenario.layout.pp = 3;  // neither 4 ranks nor a divisor of 8 layers
  EXPECT_THROW(run_study(scenario), SimError);
  scenario = ideal_training(pipeline_of(4));
  scenario.cluster.levels[0].bandwidth = BytesPerSecond(-1);
  EXPECT_THROW(run_study(scenario), SimError);
}

// With free links four replicas have no bubble: the pipeline of four takes 11/8 as long, all of it bubble.
TEST(CompareStudy, RanksByStepTimeAndNamesTheDifference) {
  Scenario scenario = ideal_training(pipeline_of(4));
  for (const Layout& layout : {pipeline_of(4), replicas(4)}) {
    scenario.layouts.push_back({.layout = layout, .workload = scenario.workload, .label = ""});
  }
  const Comparison comparison = compare_study({scenario});
  ASSERT_EQ(comparison.ranked.size(), 2u);
  EXPECT_EQ(comparison.ranked[0].label, "tp 1 cp 1 pp 1 dp 4");
  EXPECT_EQ(comparison.ranked[1].label, "tp 1 cp 1 pp 4 dp 1");
  const double best = comparison.ranked[0].run.step().value();
  EXPECT_NEAR(comparison.ranked[1].run.step().value() / best, 11.0 / 8, 1e-6);
  const MeanParts why = difference(comparison.ranked[1].run.report.mean, comparison.ranked[0].run.report.mean);
  EXPECT_NEAR(why.bubble.value() / best, 3.0 / 8, 1e-6);
  EXPECT_NEAR(why.compute.value() / best, 0, 1e-6);
}

TEST(CompareStudy, SeveralScenariosAreNamedByTheirTitles) {
  Scenario other = ideal_training(replicas(4));
  other.title = "other";
  const Comparison comparison = compare_study({ideal_training(pipeline_of(4)), other});
  ASSERT_EQ(comparison.ranked.size(), 2u);
  EXPECT_EQ(comparison.ranked[0].label, "other: tp 1 cp 1 pp 1 dp 4");
}

TEST(CompareStudy, EqualsKeepTheirOrder) {
  Scenario scenario = ideal_training(replicas(4));
  for (const char* label : {"first", "second", "third"}) {
    scenario.layouts.push_back({.layout = replicas(4), .workload = scenario.workload, .label = label});
  }
  const Comparison comparison = compare_study({scenario});
  EXPECT_EQ(comparison.ranked[0].label, "first");
  EXPECT_EQ(comparison.ranked[2].label, "third");
}

TEST(CompareStudy, AnErrorNamesTheLayout) {
  Scenario scenario = ideal_training(replicas(4));
  scenario.layouts.push_back({.layout = pipeline_of(3), .workload = scenario.workload, .label = "three stages"});
  try {
    static_cast<void>(compare_study({scenario}));
    FAIL() << "nothing was thrown";
  } catch (const SimError& error) {
    EXPECT_NE(std::string(error.what()).find("three stages"), std::string::npos);
  }
}

}  // namespace
}  // namespace stepsim
