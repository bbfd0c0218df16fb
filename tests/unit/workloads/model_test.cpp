// Do parameter counts equal the published totals?
#include "workloads/model.h"

#include <gtest/gtest.h>

#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

std::int64_t total(const ModelSpec& model) { return count_parameters(model).total; }
std::int64_t active(const ModelSpec& model) { return count_parameters(model).active; }

// Totals of the safetensors headers that Hugging Face publishes beside each model.
TEST(ParameterCount, DenseModelsEqualPublishedTotals) {
  EXPECT_EQ(total(llama_8b()), 8'030'261'248);
  EXPECT_EQ(total(llama_70b()), 70'553'706'496);
  EXPECT_EQ(total(llama_405b()), 405'853'388'800);
}

TEST(ParameterCount, MoeModelsEqualPublishedTotals) {
  EXPECT_EQ(total(mixtral()), 46'702'792'704);
  EXPECT_EQ(total(qwen3_30b()), 30'532'122'624);
  EXPECT_EQ(total(qwen3_235b()), 235'093'634'560);
  EXPECT_EQ(total(deepseek_v3()), 671'026'419'200);
}

// Narayanan 2021 (arXiv 2104.04473) eq. 2: P = 12 L h^2 (1 + 13/(12 h) + (V + s)/(12 L h)); with L = 96, h = 12288,
// V = 51200, s = 2048: 173,946,175,488 + 15,335,424 + 654,311,424 = 174,615,822,336. It leaves out the last LayerNorm,
// 2 h = 24,576.
TEST(ParameterCount, Gpt3FollowsMegatronsFormula) { EXPECT_EQ(total(gpt3_175b()), 174'615'822'336 + 24'576); }

// Active = total less the experts that a token passes by: 120 of 128, 6 of 8 and 248 of 256 in each MoE layer.
// Published, rounded: Qwen 3.3B, DeepSeek-V3 37B, Mixtral 12.9B.
TEST(ParameterCount, ActiveCountsTopKAndSharedExperts) {
  EXPECT_EQ(active(qwen3_30b()), 30'532'122'624 - 48LL * 120 * 3 * 2048 * 768);
  EXPECT_EQ(active(mixtral()), 46'702'792'704 - 32LL * 6 * 3 * 4096 * 14336);
  EXPECT_EQ(active(deepseek_v3()), 671'026'419'200 - 58LL * 248 * 3 * 7168 * 2048);
  EXPECT_NEAR(static_cast<double>(active(mixtral())), 12.9e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(active(qwen3_30b())), 3.3e9, 0.06e9);
  EXPECT_NEAR(static_cast<double>(active(deepseek_v3())), 37e9, 0.6e9);
  EXPECT_EQ(active(llama_8b()), total(llama_8b()));
}

TEST(ParameterCount, WithoutVocabularyThereIsNoEmbeddingHeadOrLastNorm) {
  ModelSpec m = llama_8b();
  m.vocab = 0;
  const ParameterCount count = count_parameters(m);
  EXPECT_EQ(count.embedding + count.head + count.final_norm, 0);
  EXPECT_EQ(count.total, 8'030'261'248 - 2LL * 128256 * 4096 - 4096);
}

// Qwen's decoder_sparse_step: layer i has experts when (i + 1) % step == 0.
TEST(MoeLayers, DenseFirstThenOneOfEvery) {
  ModelSpec m = deepseek_v3();
  EXPECT_FALSE(m.is_moe_layer(2));
  EXPECT_TRUE(m.is_moe_layer(3));
  m = qwen3_30b();
  m.moe.every = 2;
  EXPECT_FALSE(m.is_moe_layer(0));
  EXPECT_TRUE(m.is_moe_layer(1));
  EXPECT_FALSE(m.is_moe_layer(2));
  EXPECT_FALSE(llama_8b().is_moe_layer(0));
}

}  // namespace
}  // namespace stepsim
