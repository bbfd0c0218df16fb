// Ring attention on the ideal accelerator. A hop moves 2 (s/n) n_kv d e bytes; a block of the zigzag ring costs
// 2 (s/n)^2 n_q d flop, so the hop is hidden exactly when s/n >= (n_kv/n_q) e C/B_l (physics.md; for MHA and e = 2 this
// is Ring Attention's c >= C/B, arXiv 2310.01889).

#include <gtest/gtest.h>

#include "ideal.h"

namespace stepsim::testing {
namespace {

constexpr auto kCp = static_cast<std::size_t>(Axis::cp);
constexpr int kLayers = 3, kHeads = 16, kHeadDim = 64;

IdealStep prefill(int n, int kv_heads, int tokens_a_rank, double bandwidth,
                  CausalBalance balance = CausalBalance::zigzag) {
  IdealStep step;
  step.spec.model = textbook_model(kLayers, kHeads * kHeadDim, kHeads, kv_heads);
  step.spec.layout.cp = n;
  step.spec.workload.kind = WorkloadKind::prefill;
  step.spec.workload.batch = 1;
  step.spec.workload.seq_len = n * tokens_a_rank;
  step.spec.context_parallel.causal_balance = balance;
  step.spec.memory_capacity = Bytes(1e18);
  step.bandwidth = BytesPerSecond(bandwidth);
  return step;
}

double hop_time(int tokens, int kv_heads, double bandwidth) {
  return 2.0 * tokens * kv_heads * kHeadDim * 2 / bandwidth;
}
double zigzag_block_time(int tokens) { return 2.0 * tokens * tokens * kHeads * kHeadDim / kIdealFlops; }

// C = 1e14, e = 2, B = 50 GB/s: threshold 4,000 tokens for MHA, 4,000 kv/q with GQA.
TEST(ContextParallel, HiddenExactlyFromTheThresholdOn) {
  for (const int n : {2, 4, 8}) {
    for (const int kv_heads : {2, 4, 16}) {
      const int threshold = 4000 * kv_heads / kHeads;
      EXPECT_EQ(prefill(n, kv_heads, threshold, 50e9).run().mean.exposed[kCp].value(), 0) << n << " " << kv_heads;
      EXPECT_EQ(prefill(n, kv_heads, threshold + 10, 50e9).run().mean.exposed[kCp].value(), 0) << n << " " << kv_heads;
      EXPECT_GT(prefill(n, kv_heads, threshold - 10, 50e9).run().mean.exposed[kCp].value(), 0) << n << " " << kv_heads;
    }
  }
}

// Below it each of the n-1 hops of a layer sticks out by hop - block.
TEST(ContextParallel, ExposedByThePredictedAmount) {
  for (const int n : {2, 4, 8}) {
    for (const int tokens : {500, 1000, 3000, 3900}) {
      const double predicted = kLayers * (n - 1) * (hop_time(tokens, 16, 50e9) - zigzag_block_time(tokens));
      EXPECT_NEAR(prefill(n, 16, tokens, 50e9).run().mean.exposed[kCp].value(), predicted, predicted * kRounding)
          << n << " " << tokens;
    }
  }
}

// A contiguous causal split: the last rank works in every step (half a square, then n-1 full ones), so with free links
// the attention of the step takes (n - 1/2) 4 (s/n)^2 n_q d/C, against n/2 of it for zigzag.
TEST(ContextParallel, ContiguousTakesAboutTwiceAsLong) {
  for (const int n : {2, 4, 8}) {
    const double square = 4.0 * 1000 * 1000 * kHeads * kHeadDim / kIdealFlops;
    const double zigzag = seconds(prefill(n, 16, 1000, std::numeric_limits<double>::infinity()).run().step);
    const double contiguous =
        seconds(prefill(n, 16, 1000, std::numeric_limits<double>::infinity(), CausalBalance::contiguous).run().step);
    EXPECT_NEAR(contiguous - zigzag, kLayers * ((n - 0.5) - n / 2.0) * square, kLayers * n * square * kRounding) << n;
  }
}

}  // namespace
}  // namespace stepsim::testing
