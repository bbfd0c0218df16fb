#include "sim/report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/sample_run.h"

namespace stepsim {
namespace {

using Json = nlohmann::json;

Json parsed(const RunResult& run) { return Json::parse(run_json({run})); }

TEST(RunJson, HasTheNamesOfTheDesign) {
  const Json document = parsed(sample_run());
  for (const char* name : {"title",
                           "seed",
                           "step_time_s",
                           "breakdown_s",
                           "stages",
                           "bubble_fraction",
                           "exposed_fraction",
                           "hidden_comm_fraction",
                           "model_tflops_per_gpu",
                           "hardware_tflops_per_gpu",
                           "mfu",
                           "tokens_per_s_per_gpu",
                           "memory_bytes_per_gpu",
                           "fits",
                           "microbatches",
                           "ranks",
                           "actors",
                           "ops",
                           "events",
                           "wall_time_s"}) {
    EXPECT_TRUE(document.contains(name)) << name;
  }
  EXPECT_FALSE(document.contains("ttft_s"));
  EXPECT_FALSE(document.contains("tpot_s"));
}

TEST(RunJson, BreakdownAndStagesAreNested) {
  const Json document = parsed(sample_run());
  EXPECT_EQ(document["breakdown_s"]["compute"], 7.5);
  EXPECT_EQ(document["breakdown_s"]["exposed"]["pp"], 0.125);
  for (const char* axis : {"tp", "cp", "pp", "dp", "ep"}) {
    EXPECT_TRUE(document["breakdown_s"]["exposed"].contains(axis)) << axis;
  }
  ASSERT_EQ(document["stages"].size(), 2u);
  EXPECT_EQ(document["stages"][1]["exposed"]["pp"], 0.25);
  EXPECT_EQ(document["stages"][0]["bubble"], 2.0);
}

TEST(RunJson, RatesFollowTheirDefinitions) {
  const Json document = parsed(sample_run());
  // 2e15 flop in 10 s on 4 ranks: 50 TFLOP/s each, half of the peak of 100.
  EXPECT_DOUBLE_EQ(document["model_tflops_per_gpu"].get<double>(), 50);
  EXPECT_DOUBLE_EQ(document["hardware_tflops_per_gpu"].get<double>(), 60);
  EXPECT_DOUBLE_EQ(document["mfu"].get<double>(), 0.5);
  // 8 x 4096 tokens / 10 s / 4.
  EXPECT_DOUBLE_EQ(document["tokens_per_s_per_gpu"].get<double>(), 819.2);
  EXPECT_DOUBLE_EQ(document["bubble_fraction"].get<double>(), 0.1375);
  EXPECT_DOUBLE_EQ(document["exposed_fraction"].get<double>(), 0.1125);
  EXPECT_DOUBLE_EQ(document["hidden_comm_fraction"]["tp"].get<double>(), 0.2);
  EXPECT_TRUE(document["hidden_comm_fraction"]["dp"].is_null());
}

TEST(RunJson, MemoryIsInWholeBytes) {
  const Json document = parsed(sample_run());
  EXPECT_EQ(document["memory_bytes_per_gpu"]["total"].dump(), "77309411328");  // 72 GiB
  EXPECT_EQ(document["memory_bytes_per_gpu"]["capacity"].dump(), "85899345920");
  EXPECT_EQ(document["fits"], true);
}

TEST(RunJson, NoLimitOfMemoryIsNull) {
  RunResult run = sample_run();
  run.scenario.accelerator.memory_capacity = Bytes(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(parsed(run)["memory_bytes_per_gpu"]["capacity"].is_null());
  EXPECT_EQ(parsed(run)["fits"], true);
}

TEST(RunJson, InferenceHasItsLatency) {
  RunResult run = sample_run();
  run.scenario.workload.kind = WorkloadKind::prefill;
  EXPECT_EQ(parsed(run)["ttft_s"], 10.0);
  run.scenario.workload.kind = WorkloadKind::decode;
  EXPECT_EQ(parsed(run)["tpot_s"], 10.0);
}

TEST(RunJson, ExpectationsAndMeasurementsAreListed) {
  const Json document = parsed(sample_run());
  EXPECT_EQ(document["expect"][0]["holds"], false);  // |0.1375 - 0.15| > 0.01
  EXPECT_DOUBLE_EQ(document["measured"][0]["difference"].get<double>(), 0.25);
}

TEST(RunJson, SeveralRunsAreOneArray) {
  const Json document = Json::parse(run_json({sample_run(), sample_run()}));
  ASSERT_TRUE(document.is_array());
  EXPECT_EQ(document.size(), 2u);
}

TEST(RunJson, TextThatIsNotUtf8DoesNotThrow) {
  RunResult run = sample_run();
  run.scenario.title = "\xff";
  EXPECT_EQ(parsed(run)["title"], "\xEF\xBF\xBD");
}

TEST(CompareJson, RanksWithDifferenceToTheBest) {
  RunResult slower = sample_run();
  slower.report.step = SimTime(12'000'000'000'000);
  slower.report.mean.bubble += Seconds(2);
  const Json document = Json::parse(compare_json({{{"a", sample_run()}, {"b", slower}}}));
  ASSERT_EQ(document["ranked"].size(), 2u);
  EXPECT_EQ(document["ranked"][1]["rank"], 2);
  EXPECT_EQ(document["ranked"][1]["label"], "b");
  EXPECT_DOUBLE_EQ(document["ranked"][1]["slower_than_best"].get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(document["ranked"][1]["difference_to_best_s"]["bubble"].get<double>(), 2);
  EXPECT_EQ(document["ranked"][1]["step_time_s"], 12.0);
}

TEST(StressJson, PointsAndThresholds) {
  StressResult result;
  result.ring_classes = {"ib"};
  result.points.push_back({.setting = {.seq_len = 4000},
                           .seeds = 2,
                           .hop = Seconds(1),
                           .block = Seconds(4),
                           .margin = {0.75, 0.7},
                           .hidden = {1, 1},
                           .exposed_cp_s = {0, 0},
                           .step_s = {9, 10}});
  result.thresholds.push_back({.key = "seq_len", .setting = {}, .simulated = 123.5, .closed_form = {}, .note = ""});
  const Json document = Json::parse(stress_json(result));
  EXPECT_EQ(document["points"][0]["margin"]["p5"], 0.7);
  EXPECT_EQ(document["points"][0]["step_time_s"]["p95"], 10.0);
  EXPECT_EQ(document["points"][0]["seq_len"], 4000);
  EXPECT_EQ(document["thresholds"][0]["simulated"], 123.5);
  EXPECT_TRUE(document["thresholds"][0]["closed_form"].is_null());
  EXPECT_FALSE(document["thresholds"][0]["at"].contains("seq_len"));
}

}  // namespace
}  // namespace stepsim
