// The shipped studies read as written; the numbers below stand in their text or in design.md section 6.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sim/scenario/read_scenario.h"
#include "topology/fabric.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const LibraryPaths kLibrary = find_library("", STEPSIM_SOURCE_DIR);

Scenario study(const std::string& name) {
  const ScenarioResult result =
      read_scenario((fs::path(STEPSIM_SOURCE_DIR) / "scenarios/studies" / (name + ".yaml")).string(), kLibrary);
  EXPECT_TRUE(result.scenario.has_value()) << render_all(result);
  EXPECT_TRUE(result.diagnostics.all().empty()) << render_all(result);
  return result.scenario.value_or(Scenario{});
}

TEST(Studies, EveryFileReadsWithoutAFinding) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(STEPSIM_SOURCE_DIR) / "scenarios/studies")) {
    if (entry.path().extension() != ".yaml") continue;
    study(entry.path().stem().string());
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(Studies, Llama405b) {
  const Scenario s = study("train-llama3-405b-16k");
  EXPECT_EQ(s.title, "Llama 3 405B pre-training on 16,384 H100");
  EXPECT_EQ(s.model.layers, 126);
  EXPECT_EQ(count_devices(s.cluster), 16384u);
  EXPECT_EQ(s.layout.ranks(), 16384);
  EXPECT_EQ(s.layout.virtual_stages, 8);
  EXPECT_TRUE(s.layout.embedding_as_layer);
  EXPECT_EQ(s.workload.schedule, "interleaved_1f1b");
  EXPECT_EQ(s.workload.zero_stage, 2);
  EXPECT_FALSE(s.overlap.tp);
  EXPECT_TRUE(s.overlap.cp);
  EXPECT_FALSE(s.overlap.ep);
  ASSERT_EQ(s.measured.size(), 1u);
  EXPECT_EQ(s.measured[0].metric, "model_tflops_per_gpu");
  EXPECT_EQ(s.measured[0].value, 400);
  EXPECT_EQ(s.measured[0].source, "Llama 3 report, Table 4");
}

TEST(Studies, Gpt3FillsTheClusterAndNamesItsStack) {
  const Scenario s = study("train-gpt3-175b-a100");
  EXPECT_EQ(s.layout.dp, 1);  // 64 / (8 x 8)
  EXPECT_EQ(s.stack.name, "megatron-2022");
  EXPECT_FALSE(s.stack.flash_attention);
  EXPECT_TRUE(s.model.tied_embeddings);
  EXPECT_EQ(s.workload.recompute, Recompute::selective);
  EXPECT_EQ(s.workload.optimizer, Optimizer::adam);
}

TEST(Studies, CompareReadsEveryVariant) {
  const Scenario s = study("compare-39b-a100");
  ASSERT_EQ(s.layouts.size(), 5u);
  EXPECT_EQ(s.layout.tp, 4);
  EXPECT_EQ(s.layout.dp, 32);
  for (const LayoutVariant& variant : s.layouts) {
    EXPECT_EQ(variant.layout.ranks(), 512);
    EXPECT_FALSE(variant.layout.sequence_parallel);
    EXPECT_EQ(variant.workload.recompute, Recompute::full);
  }
  EXPECT_EQ(s.layouts[3].workload.micro_batch, 2);
  EXPECT_EQ(s.layouts[4].workload.micro_batch, 3);
  EXPECT_EQ(s.model.max_positions, 2048);  // learned positions: the sequence length
  EXPECT_EQ(s.model.head_dim, 128);
}

TEST(Studies, PrefillPrecisionMapAndStress) {
  const Scenario s = study("prefill-llama3-405b-cp4");
  EXPECT_EQ(s.workload.precision.ffn, Dtype::fp8);
  EXPECT_EQ(s.workload.precision.gemm, Dtype::bf16);
  EXPECT_EQ(s.workload.linear_dtype, Dtype::bf16);
  EXPECT_FALSE(s.layout.sequence_parallel);  // inference
  ASSERT_TRUE(s.stress.has_value());
  EXPECT_EQ(s.stress->seq_len.size(), 8u);
  EXPECT_EQ(s.stress->hop_bandwidth, (std::vector<double>{1, 0.5, 0.25, 0.125}));
  EXPECT_EQ(s.stress->causal_balance, (std::vector{CausalBalance::zigzag, CausalBalance::contiguous}));
  EXPECT_EQ(s.stress->kernel_jitter, (std::vector<double>{0, 0.05}));
  EXPECT_EQ(s.stress->seeds, 32);
  EXPECT_EQ(s.stress->slow_rank, 3u);
  EXPECT_EQ(s.stress->slowdown, (std::vector<double>{1.0, 1.2}));
  EXPECT_EQ(s.stress->find, (std::vector<std::string>{"seq_len", "hop_bandwidth"}));
}

TEST(Studies, PackageGraphAndGenericChip) {
  const Scenario s = study("package-sip-ring");
  EXPECT_EQ(s.accelerator.name, "chip");
  EXPECT_EQ(s.accelerator.peak.at(Dtype::bf16), FlopsPerSecond(256e12));
  EXPECT_EQ(s.accelerator.memory_capacity, Bytes(48.0 * (1 << 30)));
  EXPECT_EQ(s.cluster.nodes.size(), 9u);
  ASSERT_EQ(s.cluster.links.size(), 10u);
  EXPECT_EQ(s.cluster.links[9].link_class, "board");
  EXPECT_EQ(s.cluster.links[9].latency, Seconds(1e-6));
  EXPECT_FALSE(s.assumptions.empty());
  EXPECT_NE(s.assumptions[0].find("generic efficiency curves"), std::string::npos);
}

TEST(Studies, IdealBubbleExpectations) {
  const Scenario s = study("ideal-1f1b");
  EXPECT_TRUE(s.accelerator.ideal);
  EXPECT_TRUE(std::isinf(s.cluster.levels[0].bandwidth.value()));
  EXPECT_EQ(s.workload.optimizer, Optimizer::none);
  ASSERT_EQ(s.expect.size(), 2u);
  EXPECT_EQ(s.expect[0].metric, "bubble_fraction");
  EXPECT_EQ(s.expect[0].equals, 0.272727);
  EXPECT_EQ(s.expect[0].tolerance, 0.0001);
  EXPECT_EQ(s.expect[1].where.line, 13);
}

TEST(Studies, DeepseekDecodeAndTraining) {
  const Scenario decode = study("decode-deepseek-v3-ep");
  EXPECT_EQ(decode.workload.precision.gemm, Dtype::fp8);
  EXPECT_EQ(decode.workload.precision.attention, Dtype::bf16);
  EXPECT_EQ(decode.workload.redundant_experts, 32);
  EXPECT_TRUE(decode.overlap.ep);
  const Scenario train = study("train-deepseek-v3");
  EXPECT_EQ(train.layout.split, StageSplit::balanced);
  EXPECT_EQ(train.workload.routing.nodes_per_token, 4);
  EXPECT_EQ(train.layout.ranks(), 2048);
}

}  // namespace
}  // namespace stepsim
