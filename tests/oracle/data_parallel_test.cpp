// DP on the ideal accelerator, read on stage 0. Gradients of one layer of the textbook model (12 D^2 weights and its
// norms, fp32) are reduced by a ring: 2 (n-1)/n bytes/B.

#include <gtest/gtest.h>

#include "ideal.h"

namespace stepsim::testing {
namespace {

constexpr auto kDp = static_cast<std::size_t>(Axis::dp);
constexpr int kLayers = 4, kReplicas = 4;

IdealStep step_with(double bandwidth, bool overlap, int pp = 1) {
  Layout layout;
  layout.dp = kReplicas;
  layout.pp = pp;
  IdealStep step = textbook_training(textbook_model(kLayers * pp), layout, 2 * pp);
  step.bandwidth = BytesPerSecond(bandwidth);
  step.spec.overlap.dp = overlap;
  step.spec.stack.gradient_bucket = Bytes(1);  // every layer is a bucket
  return step;
}

double layer_gradient_bytes(const IdealStep& step) {
  const ParameterCount count = count_parameters(step.spec.model);
  return 4.0 * static_cast<double>(count.attention_layer + count.dense_ffn_layer);
}

double reduce_time(const IdealStep& step, double bytes) {
  return 2.0 * (kReplicas - 1) / kReplicas * bytes / step.bandwidth.value();
}

double exposed_on_stage_0(const IdealStep& step) { return step.run().stages[0].exposed[kDp].value(); }

/// The model's final norm has gradients too; a few thousand bytes beside the layers' tens of millions.
double final_norm_bytes(const IdealStep& step) {
  return 4.0 * static_cast<double>(count_parameters(step.spec.model).final_norm);
}

// Overlap off: all of it stands after the last backward. One stage holds the final norm as well.
TEST(DataParallel, ExposedInFullWithoutOverlap) {
  const IdealStep step = step_with(50e9, false);
  const double bytes = kLayers * layer_gradient_bytes(step);
  const double low = reduce_time(step, bytes), high = reduce_time(step, bytes + final_norm_bytes(step));
  const double exposed = exposed_on_stage_0(step);
  EXPECT_GE(exposed, low * (1 - kRounding));
  EXPECT_LE(exposed, high * (1 + kRounding));
}

// Stage 0 of a pipeline has layers only: exact.
TEST(DataParallel, ExposedInFullOnStageZeroOfAPipeline) {
  const IdealStep step = step_with(50e9, false, 2);
  const double expected = reduce_time(step, kLayers * layer_gradient_bytes(step));
  EXPECT_NEAR(exposed_on_stage_0(step), expected, expected * kRounding);
}

// Overlap on, links so fast that each layer's bucket is done before the next layer's backward ends: only the first
// layer's bucket, which is ready last, sticks out.
TEST(DataParallel, OnlyTheLastBucketIsExposedOnFastLinks) {
  const IdealStep step = step_with(10e12, true, 2);
  const double expected = reduce_time(step, layer_gradient_bytes(step));
  EXPECT_NEAR(exposed_on_stage_0(step), expected, expected * kRounding);
}

// Overlap on, slow links: reduction runs without a pause from the end of the last layer's backward on; the backward of
// the other 3 layers hides some of it. Backward of a layer: twice 2 x 12 D^2 s flops of GEMMs and 2.5 times the
// attention forward of 2 s^2 D (causal half, flash).
TEST(DataParallel, SlowLinksHideTheBackwardThatIsLeft) {
  const IdealStep step = step_with(50e9, true, 2);
  constexpr double kD = 1024, kS = 1024;
  const double backward_layer = (4 * 12 * kD * kD * kS + 2.5 * 2 * kS * kS * kD) / kIdealFlops;
  const double expected = reduce_time(step, kLayers * layer_gradient_bytes(step)) - (kLayers - 1) * backward_layer;
  ASSERT_GT(reduce_time(step, layer_gradient_bytes(step)), backward_layer);
  EXPECT_NEAR(exposed_on_stage_0(step), expected, expected * kRounding);
}

}  // namespace
}  // namespace stepsim::testing
