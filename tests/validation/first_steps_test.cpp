// Published steps that no parameter was fitted to. The bands are those that the project promises before calibration:
// they hold the spread of software releases (3 to 5 %) and what the thin kernel models leave out.

#include "library.h"

namespace stepsim::testing {
namespace {

// Korthikanti et al. 2022, Table 5: 13.75 s.
TEST(FirstSteps, Gpt3OnA100) {
  EXPECT_NEAR(metric_of_study("train-gpt3-175b-a100.yaml", "step_time_s"), 13.75, 0.10 * 13.75);
}

// Llama 3 report, Table 4: 400 model TFLOP/s a GPU.
TEST(FirstSteps, Llama405BOn16384H100) {
  EXPECT_NEAR(metric_of_study("train-llama3-405b-16k.yaml", "model_tflops_per_gpu"), 400, 0.15 * 400);
}

// arXiv 2411.01783, Table 7: 10.95 s.
TEST(FirstSteps, Llama405BPrefillOnFourNodes) {
  EXPECT_NEAR(metric_of_study("prefill-llama3-405b-cp4.yaml", "ttft_s"), 10.95, 0.15 * 10.95);
}

}  // namespace
}  // namespace stepsim::testing
