// Is what a layer keeps for its backward pass the count of Korthikanti 2022 where that holds?
#include "workloads/activation_memory.h"

#include <gtest/gtest.h>

#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

constexpr double kSeq = 2048, kBatch = 2, kHidden = 12288, kHeads = 96;
constexpr double kSbd = kSeq * kBatch * kHidden;

/// GPT-3: multi-head attention, plain FFN of 4 D; unfused attention as in 2022.
StepSpec gpt3(int tp, bool sequence_parallel, bool flash = false) {
  StepSpec spec;
  spec.model = gpt3_175b();
  spec.layout.tp = tp, spec.layout.sequence_parallel = sequence_parallel;
  spec.workload.seq_len = static_cast<int>(kSeq), spec.workload.micro_batch = static_cast<int>(kBatch);
  spec.stack.flash_attention = flash;
  return spec;
}

double layer(const StepSpec& spec, Recompute recompute) { return ActivationMemory(spec).layer(0, recompute).value(); }

// Korthikanti 2022 (arXiv 2205.05198), equations 1, 2 and 4: s b D (34 + 5 n_q s / D), s b D (10 + 24/t + 5 n_q s/(D
// t)), and with sequence parallelism all of it / t. Whole numbers of bytes: exact.
TEST(Activations, NothingRecomputed) {
  const double score = 5 * kHeads * kSeq / kHidden;
  EXPECT_DOUBLE_EQ(layer(gpt3(1, false), Recompute::none), kSbd * (34 + score));
  for (double t : {2, 4, 8}) {
    EXPECT_DOUBLE_EQ(layer(gpt3(static_cast<int>(t), false), Recompute::none), kSbd * (10 + 24 / t + score / t));
    EXPECT_DOUBLE_EQ(layer(gpt3(static_cast<int>(t), true), Recompute::none), kSbd * (34 + score) / t);
  }
}

// Equation 6 and section 5: selective drops the score term, full keeps the layer's input, 2 s b D.
TEST(Activations, SelectiveDropsTheScoresAndFullKeepsTheInput) {
  EXPECT_DOUBLE_EQ(layer(gpt3(8, true), Recompute::selective), kSbd * 34 / 8);
  EXPECT_DOUBLE_EQ(layer(gpt3(8, false), Recompute::selective), kSbd * (10 + 24.0 / 8));
  EXPECT_DOUBLE_EQ(layer(gpt3(1, false), Recompute::full), kSbd * 2);
}

// Flash attention (arXiv 2205.14135) keeps one fp32 log-sum-exp for each row and head instead of scores.
TEST(Activations, FlashAttentionHasNoScoresAtAll) {
  const double rows = 4 * kSeq * kBatch * kHeads;
  EXPECT_DOUBLE_EQ(layer(gpt3(1, false, true), Recompute::none), kSbd * 34 + rows);
  EXPECT_EQ(layer(gpt3(1, false, true), Recompute::none), layer(gpt3(1, false, true), Recompute::selective));
}

// 4 s b D / t (1 + V/D), section 4.3, and the dropout mask of the embedding, s b D / t.
TEST(Activations, EndsOfThePipeline) {
  const StepSpec spec = gpt3(8, true);
  const ActivationMemory memory(spec);
  EXPECT_DOUBLE_EQ(memory.head().value(), 4 * kSbd / 8 * (1 + 51200 / kHidden));
  EXPECT_DOUBLE_EQ(memory.embedding().value(), kSbd / 8);
}

StepSpec llama_405b_spec() {
  StepSpec spec;
  spec.model = llama_405b();
  spec.layout.tp = 8, spec.layout.sequence_parallel = true;
  spec.workload.seq_len = 8192;
  return spec;
}

// By hand, T = 8192 tokens, t = 8: 4 x 2 T D / 8 (norms in and out) 134,217,728; q and output 2 x 2 T 16 128 =
// 67,108,864; k and v 2 x 2 T 128 = 4,194,304; gate, up, down's input 3 x 2 T 6656 = 327,155,712; log-sum-exp 4 T 16 =
// 524,288. physics.md: 356 to 570 MB by how thrifty the stack is.
TEST(Activations, Llama405bLayerOpByOp) {
  const double bytes = layer(llama_405b_spec(), Recompute::none);
  EXPECT_EQ(bytes, 134'217'728.0 + 67'108'864 + 4'194'304 + 327'155'712 + 524'288);
  EXPECT_GT(bytes, 356e6);
  EXPECT_LT(bytes, 570e6);
}

TEST(Activations, ContextParallelismKeepsItsShareOfTheTokens) {
  StepSpec spec = llama_405b_spec();
  const double whole = layer(spec, Recompute::none);
  spec.layout.cp = 4;
  EXPECT_DOUBLE_EQ(layer(spec, Recompute::none), whole / 4);
}

// Qwen3-30B, one rank, 100 tokens: each has 8 rows. Norms in and out 4 x 2 D; q, out 2 x 2 x 4096; k, v 2 x 2 x 512;
// lse 4 x 32; router 4 x 128; rows: 8 x (2 D + 3 x 2 x 768), D = 2048.
TEST(Activations, MoeLayerKeepsTopKRows) {
  StepSpec spec;
  spec.model = qwen3_30b();
  spec.workload.seq_len = 100;
  const double token = 8 * 2048 + 4 * 4096 + 4 * 512 + 4 * 32 + 4 * 128 + 8 * (2 * 2048 + 6 * 768);
  EXPECT_EQ(layer(spec, Recompute::none), 100 * token);
  spec.workload.routing.imbalance = 1.5;
  EXPECT_EQ(layer(spec, Recompute::none), 100 * (token + 0.5 * 8 * (2 * 2048 + 6 * 768)));
}

// DeepSeek-V3, bf16, dense layer 0, one token: norms 4 x 2 x 7168; latents 2 (2 x 1536 + 2 x 512 + 64); q, k
// 2 x 2 x 128 x 192; v, out 2 x 2 x 128 x 128; lse 4 x 128; FFN 6 x 18432.
TEST(Activations, LatentAttentionKeepsLatentsAndHeads) {
  StepSpec spec;
  spec.model = deepseek_v3();
  spec.workload.seq_len = 1;
  const double token = 8 * 7168 + 2 * (2 * 1536 + 2 * 512 + 64) + 4 * 128 * 192 + 4 * 128 * 128 + 4 * 128 + 6 * 18432;
  EXPECT_EQ(layer(spec, Recompute::none), token);
}

// fp8 linear layers keep fp8 inputs: norms' outputs 1 byte instead of 2, the FFN's last input 1 instead of 2, and the
// attention output a second, fp8 copy.
TEST(Activations, Fp8LinearLayersKeepFp8Inputs) {
  StepSpec spec = llama_405b_spec();
  const double wide = layer(spec, Recompute::none);
  spec.workload.precision = precision_from_scalar(Dtype::fp8);
  const double tokens = 8192;
  EXPECT_EQ(layer(spec, Recompute::none), wide - tokens * (2 * 16384.0 / 8 + 6656 - 16 * 128));
}

}  // namespace
}  // namespace stepsim
