// How many bytes does a rank hold, and which recompute fits?
#include "workloads/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workloads/models.h"
#include "workloads/activation_memory.h"

namespace stepsim {
namespace {

using namespace test;

StepSpec training(const ModelSpec& model, const Layout& layout, int global_batch) {
  StepSpec spec;
  spec.model = model;
  spec.layout = layout;
  spec.workload.seq_len = 1024, spec.workload.global_batch = global_batch;
  return spec;
}

StepSpec decode(const ModelSpec& model, int tp, int context_len) {
  StepSpec spec;
  spec.model = model;
  spec.layout.tp = tp;
  spec.workload.kind = WorkloadKind::decode;
  spec.workload.batch = 1, spec.workload.context_len = context_len;
  return spec;
}

double sum(const std::vector<MemoryUse>& stages, Bytes MemoryUse::*part) {
  double total = 0;
  for (const MemoryUse& use : stages) total += (use.*part).value();
  return total;
}

// Mixed-precision Adam: 2 weight + 4 gradient + 4 master + 8 moments = 18 bytes a parameter (physics.md).
TEST(Memory, AdamTakes18BytesAParameter) {
  const auto stages = memory_by_stage(training(llama_8b(), Layout{.pp = 4}, 4));
  const double parameters = 8'030'261'248;
  EXPECT_EQ(sum(stages, &MemoryUse::weights), 2 * parameters);
  EXPECT_EQ(sum(stages, &MemoryUse::gradients), 4 * parameters);
  EXPECT_EQ(sum(stages, &MemoryUse::optimizer), 12 * parameters);
  EXPECT_EQ(sum(stages, &MemoryUse::kv_cache), 0);
}

TEST(Memory, GradientDtypeAndOptimizerAreAsConfigured) {
  StepSpec spec = training(llama_8b(), Layout{}, 1);
  spec.workload.gradient_dtype = Dtype::bf16;
  spec.workload.optimizer = Optimizer::none;
  const MemoryUse use = memory_by_stage(spec)[0];
  EXPECT_EQ(use.gradients.value(), 2.0 * 8'030'261'248);
  EXPECT_EQ(use.optimizer, Bytes(0));
}

// ZeRO (arXiv 1910.02054, section 5): stage 1 shards the optimizer, 2 the gradients too, 3 the weights too.
TEST(Memory, ZeroShardsOneStateAfterTheOther) {
  const double parameters = 8'030'261'248;
  StepSpec spec = training(llama_8b(), Layout{.cp = 2, .dp = 4}, 4);
  for (int zero = 0; zero <= 3; ++zero) {
    spec.workload.zero_stage = zero;
    const MemoryUse use = memory_by_stage(spec)[0];
    EXPECT_EQ(use.optimizer.value(), 12 * parameters / (zero >= 1 ? 8 : 1));
    EXPECT_EQ(use.gradients.value(), 4 * parameters / (zero >= 2 ? 8 : 1));
    EXPECT_EQ(use.weights.value(), 2 * parameters / (zero >= 3 ? 8 : 1));
  }
}

// ZeRO 2: one bucket whole. ZeRO 3: also two gathered layers of 2 bytes; a layer of Llama 3 8B has 218,112,000
// parameters (4096 (2 x 4096 + 2 x 1024) + 3 x 4096 x 14336 + 2 x 4096).
TEST(Memory, BuffersOfZero) {
  StepSpec spec = training(llama_8b(), Layout{.dp = 8}, 8);
  EXPECT_EQ(memory_by_stage(spec)[0].buffers, Bytes(0));
  spec.workload.zero_stage = 2;
  EXPECT_EQ(memory_by_stage(spec)[0].buffers, Bytes(160e6));
  spec.workload.zero_stage = 3;
  EXPECT_EQ(memory_by_stage(spec)[0].buffers, Bytes(160e6 + 4.0 * 218'112'000));
}

// dp 64 and ep 32: each rank holds 1/32 of the experts, and two ranks hold the same ones.
TEST(Memory, ExpertsShardOverTheRanksThatHoldTheSameOnes) {
  StepSpec spec = training(qwen3_30b(), Layout{.dp = 64, .ep = 32}, 64);
  spec.workload.zero_stage = 1;
  const double experts = 48.0 * 128 * 3 * 2048 * 768, dense = 30'532'122'624 - experts;
  const MemoryUse use = memory_by_stage(spec)[0];
  EXPECT_EQ(use.weights.value(), 2 * (dense + experts / 32));
  EXPECT_EQ(use.optimizer.value(), 12 * (dense / 64 + experts / 32 / 2));
}

// Matrices are split over TP; norms (2 a layer and the last, of 4096) are replicated, and so are KV heads beyond 8:
// with tp 16 k and v take 2 x 4096 x 128 on each rank instead of half of that.
TEST(Memory, TensorParallelismReplicatesNormsAndKvHeads) {
  const double norms = 65.0 * 4096, matrices = 8'030'261'248 - norms;
  const auto weights = [&](int tp) {
    return memory_by_stage(training(llama_8b(), Layout{.tp = tp}, 1))[0].weights.value();
  };
  EXPECT_EQ(weights(8), 2 * (matrices / 8 + norms));
  EXPECT_EQ(weights(16), 2 * (matrices / 16 + norms + 32 * (2.0 * 4096 * 128) / 2));
}

// GPT-3 ties its embeddings: with pp > 1 the last stage holds a copy.
TEST(Memory, TiedEmbeddingsHaveACopyOnTheLastStage) {
  const auto one = memory_by_stage(training(gpt3_175b(), Layout{}, 8));
  const auto eight = memory_by_stage(training(gpt3_175b(), Layout{.pp = 8}, 8));
  EXPECT_EQ(sum(eight, &MemoryUse::weights) - sum(one, &MemoryUse::weights), 2.0 * 51200 * 12288);
}

/// Equal layers, no embedding: what is held is passes x layers a stage x one layer.
StepSpec plain_pipeline(const std::string& schedule, int pp, int virtual_stages, int microbatches) {
  StepSpec spec = training(llama(32, 1024, 4096, 8), Layout{.pp = pp, .virtual_stages = virtual_stages}, microbatches);
  spec.model.vocab = 0;
  spec.workload.schedule = schedule;
  return spec;
}

std::vector<double> layers_held(const StepSpec& spec) {
  const double layer = ActivationMemory(spec).layer(0, Recompute::none).value();
  std::vector<double> result;
  for (const MemoryUse& use : memory_by_stage(spec)) result.push_back(use.activations.value() / layer);
  return result;
}

// Of 32 layers over 4 ranks: 1F1B holds min(m, p - r) times 8; GPipe m times 8; interleaved with v = 2 on rank 0
// p v + p - 1 = 11 chunks of 4, = 32 (1 + (p-1)/(p v)) layers (Korthikanti 2022, section 4.2.3); dualpipe p + 1 = 5
// times 8 on every rank.
TEST(Memory, ActivationsFollowTheSchedule) {
  EXPECT_EQ(layers_held(plain_pipeline("1f1b", 4, 1, 16)), (std::vector<double>{32, 24, 16, 8}));
  EXPECT_EQ(layers_held(plain_pipeline("1f1b", 4, 1, 2)), (std::vector<double>{16, 16, 16, 8}));
  EXPECT_EQ(layers_held(plain_pipeline("gpipe", 4, 1, 6)), (std::vector<double>{48, 48, 48, 48}));
  EXPECT_EQ(layers_held(plain_pipeline("interleaved_1f1b", 4, 2, 16))[0], 44);
  EXPECT_EQ(layers_held(plain_pipeline("dualpipe", 4, 1, 16)), (std::vector<double>{40, 40, 40, 40}));
}

// DualPipe keeps two copies of the parameters (DeepSeek-V3 report, section 3.2.1).
TEST(Memory, DualpipeHoldsTheParametersTwice) {
  const double once = sum(memory_by_stage(plain_pipeline("1f1b", 4, 1, 16)), &MemoryUse::weights);
  EXPECT_EQ(sum(memory_by_stage(plain_pipeline("dualpipe", 4, 1, 16)), &MemoryUse::weights), 2 * once);
}

// Full recompute keeps 2 s b D a layer, and all of one layer while it is computed again.
TEST(Memory, FullRecomputeKeepsInputsAndOneLayer) {
  StepSpec spec = plain_pipeline("1f1b", 4, 1, 16);
  spec.workload.recompute = Recompute::full;
  const double layer = ActivationMemory(spec).layer(0, Recompute::none).value(), input = 2.0 * 1024 * 1024;
  EXPECT_EQ(memory_by_stage(spec)[0].activations.value(), 32 * input + layer - input);
}

// KV bytes a token, all layers (physics.md, inference).
TEST(Memory, KvBytesOfAToken) {
  const auto kv = [](const ModelSpec& model, int tp) {
    return memory_by_stage(decode(model, tp, 1))[0].kv_cache.value();
  };
  EXPECT_EQ(kv(llama_8b(), 1), 131'072);
  EXPECT_EQ(kv(llama_70b(), 1), 327'680);
  EXPECT_EQ(kv(llama_405b(), 1), 516'096);
  EXPECT_EQ(kv(deepseek_v3(), 1), 70'272);
  EXPECT_EQ(kv(deepseek_v3(), 4), 70'272);  // the latent is not split
  EXPECT_EQ(kv(llama_70b(), 8), 327'680 / 8);
  EXPECT_EQ(kv(llama_70b(), 16), 327'680 / 8);  // 8 KV heads: past tp 8 it stops shrinking
}

TEST(Memory, KvCacheCountsSequencesLengthAndContextParallelism) {
  StepSpec spec = decode(llama_8b(), 1, 8192);
  spec.workload.batch = 32, spec.layout.dp = 2, spec.layout.cp = 4, spec.layout.pp = 2;
  EXPECT_EQ(memory_by_stage(spec)[0].kv_cache.value(), 131'072.0 / 2 * 16 * 8192 / 4);
  spec.workload.kind = WorkloadKind::prefill;
  spec.workload.seq_len = 6000, spec.workload.cached_len = 2192;
  EXPECT_EQ(memory_by_stage(spec)[0].kv_cache.value(), 131'072.0 / 2 * 16 * 8192 / 4);
}

// DeepSeek-V3 decode over 144 ranks, fp8: experts 58 x 288 / 144 x 3 x 7168 x 2048 bytes; embedding and output
// projection (and the last norm) at 2 bytes; all else at 1.
TEST(Memory, Fp8InferenceStoresLinearLayersInOneByte) {
  StepSpec spec = decode(deepseek_v3(), 1, 4096);
  spec.layout.dp = 144, spec.layout.ep = 144;
  spec.workload.batch = 18432, spec.workload.redundant_experts = 32;
  spec.workload.precision = precision_from_scalar(Dtype::fp8);
  const double routed = 58.0 * 3 * 7168 * 2048, ends = 2.0 * 129280 * 7168 + 7168;
  const double rest = 671'026'419'200 - 256 * routed - ends;
  const MemoryUse use = memory_by_stage(spec)[0];
  EXPECT_EQ(use.weights.value(), rest + 2 * routed + 2 * ends);
  EXPECT_EQ(use.gradients + use.optimizer, Bytes(0));
  EXPECT_EQ(use.kv_cache.value(), 128 * 4096 * 70'272.0);
}

// fp8 training: the bf16 weight and the fp8 copy that is multiplied by.
TEST(Memory, Fp8TrainingKeepsBothCopies) {
  StepSpec spec = training(llama_8b(), Layout{}, 1);
  spec.workload.precision = precision_from_scalar(Dtype::fp8);
  const double ends = 2.0 * 128256 * 4096 + 4096;
  EXPECT_EQ(memory_by_stage(spec)[0].weights.value(), 3 * (8'030'261'248 - ends) + 2 * ends);
}

Bytes largest(StepSpec spec, Recompute recompute) {
  spec.workload.recompute = recompute;
  const auto stages = memory_by_stage(spec);
  return std::max_element(stages.begin(), stages.end(), [](auto& a, auto& b) { return a.total() < b.total(); })
      ->total();
}

TEST(Memory, LeastRecomputeThatFits) {
  StepSpec spec = training(gpt3_175b(), Layout{.tp = 8, .pp = 8, .sequence_parallel = true}, 64);
  spec.stack.flash_attention = false;
  spec.workload.seq_len = 2048;
  for (Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    spec.memory_capacity = largest(spec, recompute);
    EXPECT_EQ(least_recompute_that_fits(spec), recompute);
  }
  spec.memory_capacity = Bytes(1);
  EXPECT_EQ(least_recompute_that_fits(spec), Recompute::full);
}

// Narayanan and Korthikanti trained 175B at t 8, p 8 on 80 GB A100: with selective recompute and sequence parallelism
// it fits, without either it does not (Korthikanti 2022, figure 1).
TEST(Memory, Gpt3FitsAn80GbA100AsPublished) {
  StepSpec spec = training(gpt3_175b(), Layout{.tp = 8, .pp = 8, .virtual_stages = 3, .sequence_parallel = true}, 64);
  spec.stack.flash_attention = false;
  spec.workload.seq_len = 2048, spec.workload.schedule = "interleaved_1f1b";
  const Bytes capacity(80.0 * 1024 * 1024 * 1024);
  EXPECT_LT(largest(spec, Recompute::selective), capacity);
  spec.layout.sequence_parallel = false;
  EXPECT_GT(largest(spec, Recompute::none), capacity);
}

}  // namespace
}  // namespace stepsim
