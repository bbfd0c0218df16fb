// Do the kernels of a step add up to the flops of the formulas, whatever the layout?
#include <gtest/gtest.h>

#include <array>

#include "tests/unit/workloads/lowered.h"
#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

// Integers below 2^53 sum without rounding; shares that don't divide leave the last digits.
constexpr double kRounding = 1e-12;

constexpr int kLayers = 4, kHidden = 512, kHeads = 8, kVocab = 4096, kSequence = 256, kMicrobatches = 4;

std::array<Layout, 9> layouts() {
  return {Layout{},
          Layout{.tp = 4},
          Layout{.tp = 2, .sequence_parallel = true},
          Layout{.cp = 4},
          Layout{.pp = 4},
          Layout{.dp = 4},
          Layout{.pp = 2, .virtual_stages = 2},
          Layout{.tp = 2, .cp = 2, .pp = 2, .dp = 2, .sequence_parallel = true},
          Layout{.tp = 8, .cp = 2, .dp = 2}};
}

StepSpec spec_with(const Layout& layout) {
  return training_spec(textbook(kLayers, kHidden, kHeads, kVocab), layout, kMicrobatches, kSequence);
}

double sequences(const Layout& layout) { return kMicrobatches * layout.dp; }
double matrices(const Layout& layout) {  // B s L D^2
  return sequences(layout) * kSequence * kLayers * kHidden * kHidden;
}
double squares(const Layout& layout) {  // B s^2 L D
  return sequences(layout) * kSequence * kSequence * kLayers * kHidden;
}
double logits(const Layout& layout) {  // B s V D
  return sequences(layout) * kSequence * kVocab * kHidden;
}

// Unfused attention computes the full square: exactly Narayanan 2021 (arXiv 2104.04473, appendix), here
// 72 B s L D^2 (1 + s/6D + V/12LD) = 72 B s L D^2 + 12 B s^2 L D + 6 B s V D.
TEST(LoweredFlops, UnfusedAttentionIsNarayanansFormula) {
  for (const Layout& layout : layouts()) {
    StepSpec spec = spec_with(layout);
    spec.stack.flash_attention = false;
    const double expected = 72 * matrices(layout) + 12 * squares(layout) + 6 * logits(layout);
    EXPECT_NEAR(total_flops(lower(spec)), expected, expected * kRounding) << layout.ranks();
  }
}

// Full recompute runs the layers' forward once more: 96 B s L D^2 (1 + s/6D + V/16LD).
TEST(LoweredFlops, FullRecomputeIsNarayanansFormula) {
  for (const Layout& layout : layouts()) {
    StepSpec spec = spec_with(layout);
    spec.stack.flash_attention = false;
    spec.workload.recompute = Recompute::full;
    const double expected = 96 * matrices(layout) + 16 * squares(layout) + 6 * logits(layout);
    EXPECT_NEAR(total_flops(lower(spec)), expected, expected * kRounding) << layout.ranks();
  }
}

// Selective recompute repeats scores and values only: 4 B s^2 L D more (Korthikanti 2022, section 5).
TEST(LoweredFlops, SelectiveRecomputeRepeatsTheAttentionCore) {
  for (const Layout& layout : layouts()) {
    StepSpec spec = spec_with(layout);
    spec.stack.flash_attention = false;
    spec.workload.recompute = Recompute::selective;
    const double expected = 72 * matrices(layout) + 16 * squares(layout) + 6 * logits(layout);
    EXPECT_NEAR(total_flops(lower(spec)), expected, expected * kRounding) << layout.ranks();
  }
}

// Flash attention: forward the causal half of 4 B s^2 L D, backward 2.5 times that (it computes the scores again):
// 2 + 5 = 7 instead of 12. A contiguous split does the same work as zigzag, spread otherwise.
TEST(LoweredFlops, FlashAttentionComputesTheCausalHalf) {
  for (const Layout& layout : layouts()) {
    for (const CausalBalance balance : {CausalBalance::zigzag, CausalBalance::contiguous}) {
      StepSpec spec = spec_with(layout);
      spec.context_parallel.causal_balance = balance;
      const double expected = 72 * matrices(layout) + 7 * squares(layout) + 6 * logits(layout);
      EXPECT_NEAR(total_flops(lower(spec)), expected, expected * kRounding) << layout.ranks();
    }
  }
}

// Selective recompute is nothing with flash attention, which never keeps the scores (physics.md, activations of a
// layer).
TEST(LoweredFlops, SelectiveRecomputeIsFreeWithFlashAttention) {
  StepSpec spec = spec_with(Layout{.tp = 2});
  const double none = total_flops(lower(spec));
  spec.workload.recompute = Recompute::selective;
  EXPECT_EQ(total_flops(lower(spec)), none);
}

// 6 (active parameters - input embedding) tokens + 3 x the causal half of attention (design.md section 7). Llama 3 8B
// has 8,030,261,248 parameters, 128256 x 4096 of them in the input embedding; attention forward is 2 s^2 x 4096 x 32
// layers.
TEST(ModelFlops, OfATrainingStep) {
  const StepGraph graph = lower(training_spec(llama_8b(), Layout{.tp = 8, .dp = 2}, 2, 1024));
  const double tokens = 4 * 1024.0, parameters = 8'030'261'248.0 - 128256.0 * 4096;
  const double attention = 3 * 2 * 1024.0 * 1024 * 4096 * 32 * 4;
  EXPECT_DOUBLE_EQ(graph.model_flops.value(), 6 * parameters * tokens + attention);
  EXPECT_EQ(graph.tokens, tokens);
}

// A tied output projection multiplies like any other matrix, although no parameter is counted for it twice.
TEST(ModelFlops, TiedProjectionCounts) {
  ModelSpec tied = textbook(2, 256, 4, 1024);
  const double untied = lower(training_spec(tied, Layout{}, 1)).model_flops.value();
  tied.tied_embeddings = true;
  EXPECT_EQ(lower(training_spec(tied, Layout{}, 1)).model_flops.value(), untied);
}

// Recompute and unfused attention cost time, not model flops.
TEST(ModelFlops, RecomputeIsNotCounted) {
  StepSpec spec = spec_with(Layout{.tp = 2});
  const double plain = lower(spec).model_flops.value();
  spec.workload.recompute = Recompute::full;
  spec.stack.flash_attention = false;
  EXPECT_EQ(lower(spec).model_flops.value(), plain);
}

// Decode: 2 flops for each active parameter and sequence, and 4 x context x D x L of attention for each sequence.
TEST(ModelFlops, OfADecodeStep) {
  const StepGraph graph = lower(inference_spec(llama_8b(), Layout{.tp = 8}, WorkloadKind::decode, 16, 8192));
  const double parameters = 8'030'261'248.0 - 128256.0 * 4096;
  EXPECT_DOUBLE_EQ(graph.model_flops.value(), 16 * (2 * parameters + 4 * 8192.0 * 4096 * 32));
  EXPECT_EQ(graph.tokens, 16);
}

}  // namespace
}  // namespace stepsim
