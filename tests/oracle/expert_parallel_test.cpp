// EP on the ideal accelerator: each rank sends s b k D e (ep-1)/ep bytes of its own tokens for dispatch and again for
// combine, forward and backward.

#include <gtest/gtest.h>

#include "ideal.h"

namespace stepsim::testing {
namespace {

constexpr auto kEp = static_cast<std::size_t>(Axis::ep);

IdealStep step_with(int ep) {
  Layout layout;
  layout.dp = 8;
  layout.ep = ep;
  ModelSpec model = textbook_model(2);
  model.moe = {16, 4, 512, 0, 0, 1, false};
  IdealStep step = textbook_training(model, layout, 3);
  step.bandwidth = BytesPerSecond(100e9);
  step.latency = Seconds(2e-6);
  return step;
}

// One all-to-all: 1024 tokens x top-4 x 1024 x 2 B x (ep-1)/ep; 2 layers x 3 microbatches x 4 of them.
double one_all_to_all(int ep) { return 1024.0 * 4 * 1024 * 2 * (ep - 1) / ep; }

TEST(ExpertParallel, BytesOfDispatchAndCombine) {
  for (const int ep : {2, 4, 8}) {
    const double expected = 2 * 3 * 4 * one_all_to_all(ep);
    const StepReport report = step_with(ep).run();
    EXPECT_DOUBLE_EQ(report.axes[kEp].payload.value(), expected) << ep;
    EXPECT_NEAR(report.axes[kEp].sent.value(), expected, expected * kRounding) << ep;
  }
}

// Overlap off: each takes bytes/B + latency, all of it exposed.
TEST(ExpertParallel, ExposedInFullWithoutOverlap) {
  for (const int ep : {2, 4, 8}) {
    const double expected = 2 * 3 * 4 * (one_all_to_all(ep) / 100e9 + 2e-6);
    EXPECT_NEAR(step_with(ep).run().mean.exposed[kEp].value(), expected, expected * kRounding) << ep;
  }
}

}  // namespace
}  // namespace stepsim::testing
