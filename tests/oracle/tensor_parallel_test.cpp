// TP on the ideal accelerator: AllReduces of s b D e bytes, two a layer forward and two backward (Shoeybi 2019).

#include <gtest/gtest.h>

#include "ideal.h"

namespace stepsim::testing {
namespace {

constexpr auto kTp = static_cast<std::size_t>(Axis::tp);

IdealStep step_with(int tp, bool sequence_parallel) {
  Layout layout;
  layout.tp = tp;
  layout.sequence_parallel = sequence_parallel;
  IdealStep step = textbook_training(textbook_model(4), layout, 2);
  step.bandwidth = BytesPerSecond(100e9);
  step.latency = Seconds(1e-6);
  return step;
}

// Payload of one AllReduce S = 1024 x 1024 x 2 B; a step has 4 layers x 4 x 2 microbatches of them, whatever t is.
TEST(TensorParallel, PayloadDoesNotChangeWithT) {
  constexpr double kPayload = 4.0 * 4 * 2 * 1024 * 1024 * 2;
  for (const int t : {2, 4, 8}) {
    EXPECT_DOUBLE_EQ(step_with(t, false).run().axes[kTp].payload.value(), kPayload) << t;
  }
}

// On the compute stream all of it is exposed: 32 ring AllReduces of 2 (t-1)/t S/B + 2 (t-1) latency.
TEST(TensorParallel, RingAllReducesAreExposed) {
  for (const int t : {2, 4, 8}) {
    const double one = 2.0 * (t - 1) / t * 1024 * 1024 * 2 / 100e9 + 2.0 * (t - 1) * 1e-6;
    EXPECT_NEAR(step_with(t, false).run().mean.exposed[kTp].value(), 32 * one, 32 * one * kRounding) << t;
  }
}

// Sequence parallelism turns each AllReduce into ReduceScatter + AllGather of the same volume; backward gathers the
// input of qkv and of the FFN once more for its weight gradient: 4 + 4 + 2 halves a layer (Korthikanti 2022,
// section 4.2.2).
TEST(TensorParallel, SequenceParallelMovesTheSamePlusTheRegatheredInput) {
  for (const int t : {2, 4, 8}) {
    const double half = 1.0 * (t - 1) / t * 1024 * 1024 * 2;
    EXPECT_NEAR(step_with(t, true).run().axes[kTp].sent.value(), 4 * 2 * 10 * half, 4 * 2 * 10 * half * kRounding) << t;
  }
}

}  // namespace
}  // namespace stepsim::testing
