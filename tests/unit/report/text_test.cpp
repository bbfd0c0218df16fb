#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/report/compare_text.h"
#include "sim/report/format.h"
#include "sim/report/run_text.h"
#include "sim/report/stress_text.h"
#include "tests/support/sample_run.h"

namespace stepsim {
namespace {

const TextStyle kPlain{.color = false};

std::string golden_path(const std::string& name) { return STEPSIM_SOURCE_DIR "/tests/golden/" + name; }

/// Layout only: the numbers come from runs made by hand. STEPSIM_UPDATE_GOLDEN=1 writes the file anew.
void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("STEPSIM_UPDATE_GOLDEN") != nullptr) std::ofstream(golden_path(name)) << text;
  std::ifstream file(golden_path(name));
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << "If the new layout is right: STEPSIM_UPDATE_GOLDEN=1 ctest -R report_test";
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, columns_of(line));
  return longest;
}

StressResult sample_stress() {
  StressResult result;
  result.scenario.title = "A ring under stress";
  result.ring_classes = {"ib"};
  for (const double jitter : {0.0, 0.05}) {
    for (const int tokens : {4000, 1'000'000}) {
      StressPoint point;
      point.setting.seq_len = tokens;
      point.setting.kernel_jitter = jitter;
      point.seeds = jitter > 0 ? 32 : 1;
      point.hop = Seconds(1e-9 * tokens);
      point.block = Seconds(1e-14 * tokens * tokens);
      point.margin = {1 - point.hop / point.block, 1 - 1.1 * (point.hop / point.block)};
      point.step_s = {1e-6 * tokens, 1.1e-6 * tokens};
      result.points.push_back(point);
    }
  }
  result.thresholds.push_back(
      {.key = "seq_len", .setting = {}, .simulated = 100'000, .closed_form = 99'000, .note = ""});
  result.thresholds.push_back({.key = "hop_bandwidth",
                               .setting = {.seq_len = 4000},
                               .simulated = {},
                               .closed_form = 25,
                               .note = "never hides"});
  return result;
}

Comparison sample_comparison() {
  RunResult slower = sample_run();
  slower.report.step = SimTime(12'000'000'000'000);
  slower.report.mean.bubble += Seconds(1.5);
  slower.report.mean.peer_wait = Seconds(0.5);
  slower.memory.weights = Bytes(50 * 1073741824.0);
  return {{{"tp 2, pp 2, micro_batch 2", sample_run()}, {"tp 4, micro_batch 2", slower}}};
}

TEST(RunText, Layout) { expect_golden("run_report.txt", run_text(sample_run(), kPlain)); }
TEST(CompareText, Layout) { expect_golden("compare_report.txt", compare_text(sample_comparison(), kPlain)); }
TEST(StressText, Layout) { expect_golden("stress_report.txt", stress_text(sample_stress(), kPlain)); }

TEST(RunText, FitsTheWidth) { EXPECT_LE(longest_line(run_text(sample_run(), kPlain)), 100u); }
TEST(StressText, FitsTheWidth) { EXPECT_LE(longest_line(stress_text(sample_stress(), kPlain)), 100u); }
TEST(CompareText, FitsTheWidth) { EXPECT_LE(longest_line(compare_text(sample_comparison(), kPlain)), 100u); }

TEST(RunText, HasNoColourCodesUnlessAsked) {
  EXPECT_EQ(run_text(sample_run(), kPlain).find('\x1b'), std::string::npos);
  EXPECT_NE(run_text(sample_run(), {.color = true}).find('\x1b'), std::string::npos);
}

TEST(RunText, SaysHowMuchMemoryIsMissing) {
  RunResult run = sample_run();
  run.memory.weights = Bytes(20 * 1073741824.0);  // 82 of 80 GiB
  EXPECT_NE(run_text(run, kPlain).find("82.0 GiB of 80.0 GiB\n  DOES NOT FIT: 2.00 GiB (2,147,483,648 bytes) missing"),
            std::string::npos);
}

TEST(RunText, WarnsWhenTpCrossesALevel) {
  RunResult run = sample_run();
  run.report.axes[static_cast<std::size_t>(Axis::tp)].crosses_level = true;
  EXPECT_NE(run_text(run, kPlain).find("warning: tp groups of 2 cross a level"), std::string::npos);
}

TEST(RunText, InferenceNamesItsLatency) {
  RunResult run = sample_run();
  run.scenario.workload.kind = WorkloadKind::prefill;
  EXPECT_NE(run_text(run, kPlain).find("time to first token  10.00 s"), std::string::npos);
}

}  // namespace
}  // namespace stepsim
