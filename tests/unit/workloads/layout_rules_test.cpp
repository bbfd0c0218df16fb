// Is every impossible layout refused, with what would be right?
#include "workloads/layout_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/unit/workloads/models.h"
#include "workloads/divisors.h"

namespace stepsim {
namespace {

using namespace test;

/// Llama 3 70B on 64 devices: tp 8, pp 4, dp 2, 16 sequences.
StepSpec good() {
  StepSpec spec;
  spec.model = llama_70b();
  spec.layout.tp = 8, spec.layout.pp = 4, spec.layout.dp = 2;
  spec.layout.sequence_parallel = true;
  spec.workload.seq_len = 8192, spec.workload.global_batch = 16;
  return spec;
}

StepSpec good_moe() {
  StepSpec spec = good();
  spec.model = deepseek_v3();
  spec.layout = Layout{.pp = 1, .dp = 64, .ep = 64};
  spec.workload.global_batch = 64;
  return spec;
}

/// Exactly one finding, on `key`, whose help names `help`.
void expect_one(const StepSpec& spec, const std::string& key, const std::string& help, std::size_t devices = 64) {
  const std::vector<LayoutProblem> problems = layout_problems(spec, devices);
  ASSERT_EQ(problems.size(), 1U) << key << (problems.empty() ? "" : ' ' + problems[0].message);
  EXPECT_EQ(problems[0].key, key) << problems[0].message;
  EXPECT_NE(problems[0].help.find(help), std::string::npos) << problems[0].help;
  EXPECT_FALSE(problems[0].message.empty());
}

TEST(LayoutRules, GoodOnesHaveNoProblem) {
  EXPECT_TRUE(layout_problems(good(), 64).empty());
  EXPECT_TRUE(layout_problems(good_moe(), 64).empty());
}

// The layouts of the examples that the project must run.
TEST(LayoutRules, PublishedLayoutsAreAllowed) {
  StepSpec llama = good();
  llama.model = llama_405b();
  llama.layout =
      Layout{.tp = 8, .pp = 16, .dp = 128, .virtual_stages = 8, .sequence_parallel = true, .embedding_as_layer = true};
  llama.workload.global_batch = 2048, llama.workload.schedule = "interleaved_1f1b";
  EXPECT_TRUE(layout_problems(llama, 16384).empty());

  StepSpec deepseek = good_moe();
  deepseek.layout = Layout{.pp = 16, .dp = 128, .ep = 64, .split = StageSplit::balanced};
  deepseek.workload.seq_len = 4096, deepseek.workload.global_batch = 15360, deepseek.workload.schedule = "dualpipe";
  EXPECT_TRUE(layout_problems(deepseek, 2048).empty());

  StepSpec decode = good_moe();
  decode.layout = Layout{.dp = 144, .ep = 144};
  decode.workload = Workload{};
  decode.workload.kind = WorkloadKind::decode;
  decode.workload.batch = 18432, decode.workload.context_len = 4096, decode.workload.redundant_experts = 32;
  EXPECT_TRUE(layout_problems(decode, 144).empty());
}

TEST(LayoutRules, DegreesBelowOneEndTheCheck) {
  StepSpec spec = good();
  spec.layout.tp = 0, spec.layout.dp = -1;
  const auto problems = layout_problems(spec, 64);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].key, "layout.tp");
  EXPECT_EQ(problems[1].key, "layout.dp");
}

TEST(LayoutRules, AllBrokenRulesAtOnce) {
  StepSpec spec = good();
  spec.layout.tp = 3;  // ranks, heads, KV heads, FFN (28672 = 2^12 x 7), seq_len; 128256 / 3 is whole
  spec.workload.global_batch = 15;
  EXPECT_EQ(layout_problems(spec, 64).size(), 6U);
}

struct Broken {
  const char* key;
  const char* help;
  std::function<void(StepSpec&)> change;
};

TEST(LayoutRules, DenseTrainingRules) {
  const std::vector<Broken> cases{
      {"layout", "dp 4 would", [](StepSpec& s) { s.layout.pp = 2; }},
      {"layout.order", "[tp, cp",
       [](StepSpec& s) {
         s.layout.order = {Axis::tp, Axis::tp, Axis::ep, Axis::dp, Axis::pp};
       }},
      {"layout.tp", "1, 2, 4 or 8",
       [](StepSpec& s) {
         s.layout.tp = 16;
         s.layout.pp = 2;
         s.model.ffn = 8;
       }},
      {"layout.tp", "1, 2, 17", [](StepSpec& s) { s.model.vocab = 34; }},
      {"layout.tp", "a multiple of 3",
       [](StepSpec& s) {
         s.model.heads = 24;
         s.model.kv_heads = 3;
       }},
      {"model.kv_heads", "1, 2, 4, 8, 16, 32 or 64", [](StepSpec& s) { s.model.kv_heads = 24; }},
      {"workload.global_batch", "14 or 16", [](StepSpec& s) { s.workload.global_batch = 15; }},
      {"workload.zero_stage", "0, 1, 2 or 3", [](StepSpec& s) { s.workload.zero_stage = 4; }},
      {"workload.seq_len", "8192 or 8200", [](StepSpec& s) { s.workload.seq_len = 8193; }},
      {"workload.schedule", "= 8", [](StepSpec& s) { s.layout.virtual_stages = 2; }},
      {"layout.ep", "moe", [](StepSpec& s) { s.layout.ep = 2; }},
      {"layout.etp", "moe", [](StepSpec& s) { s.layout.etp = 2; }},
      {"layout.pp", "balanced", [](StepSpec& s) { s.model.layers = 81; }},
      {"layout.pp", "at most 3",
       [](StepSpec& s) {
         s.model.layers = 3;
         s.layout.split = StageSplit::balanced;
       }},
      {"workload.seq_len", "at most 4096",
       [](StepSpec& s) {
         s.model.positions = PositionKind::learned;
         s.model.max_positions = 4096;
       }},
  };
  for (const Broken& broken : cases) {
    StepSpec spec = good();
    broken.change(spec);
    expect_one(spec, broken.key, broken.help);
  }
}

TEST(LayoutRules, ContextParallelCutsTheSequence) {
  StepSpec spec = good();
  spec.layout = Layout{.cp = 16, .pp = 4};
  spec.workload.seq_len = 8208;  // 16 x 513: divides by cp, not by 2 cp
  expect_one(spec, "workload.seq_len", "8192 or 8224");
  spec.context_parallel.causal_balance = CausalBalance::contiguous;
  EXPECT_TRUE(layout_problems(spec, 64).empty());
}

TEST(LayoutRules, TpAboveKvHeadsReplicates) {
  StepSpec spec = good();
  spec.layout.tp = 16, spec.layout.pp = 2;  // 8 KV heads, each on two ranks
  EXPECT_TRUE(layout_problems(spec, 64).empty());
}

TEST(LayoutRules, ExpertRules) {
  const std::vector<Broken> cases{
      {"layout.ep", "or 64", [](StepSpec& s) { s.layout.ep = 128; }},
      {"layout.etp", "1, 2, 4, 8, 16",
       [](StepSpec& s) {
         s.layout.ep = 1;
         s.layout.etp = 3;
         s.layout.dp = 48;
         s.workload.global_batch = 48;
       }},
      {"layout.ep", "128 or 256",
       [](StepSpec& s) {
         s.layout.ep = 3;
         s.layout.dp = 48;
         s.workload.global_batch = 48;
       }},
      {"workload.redundant_experts", "training", [](StepSpec& s) { s.workload.redundant_experts = 2; }},
  };
  for (const Broken& broken : cases) {
    StepSpec spec = good_moe();
    broken.change(spec);
    expect_one(spec, broken.key, broken.help, static_cast<std::size_t>(spec.layout.ranks()));
  }
}

TEST(LayoutRules, InferenceSplitsItsBatchOverDp) {
  StepSpec spec = good();
  spec.workload.kind = WorkloadKind::prefill;
  spec.workload.batch = 3;
  expect_one(spec, "workload.batch", "2 or 4");
  spec.workload.batch = 2, spec.layout.virtual_stages = 2;
  expect_one(spec, "layout.virtual_stages", "leave it out");
}

TEST(LayoutRules, ListedStages) {
  StepSpec spec = good();
  spec.layout.split = StageSplit::listed;
  spec.layout.stage_layers = {20, 20, 20};
  expect_one(spec, "layout.stage_layers", "4 numbers");
  spec.layout.stage_layers = {20, 20, 20, 21};
  expect_one(spec, "layout.stage_layers", "sum to 80");
  spec.layout.stage_layers = {0, 26, 27, 27};
  expect_one(spec, "layout.stage_layers", "embedding_as_layer");
  spec.layout.embedding_as_layer = true;
  EXPECT_TRUE(layout_problems(spec, 64).empty());
  EXPECT_EQ(layers_of_stages(spec.model, spec.layout), (std::vector<int>{0, 26, 27, 27}));
}

// Llama 3 405B: 126 + 2 = 128 places over 16 x 8 stages: nothing but the embedding on the first, the loss on the last.
TEST(LayersOfStages, EmbeddingAndLossTakeAPlace) {
  const Layout layout{.pp = 16, .virtual_stages = 8, .embedding_as_layer = true};
  std::vector<int> expected(128, 1);
  expected.front() = expected.back() = 0;
  EXPECT_EQ(layers_of_stages(llama_405b(), layout), expected);
}

// 61 = 13 x 4 + 3 x 3, the short ones at the ends.
TEST(LayersOfStages, BalancedIsAsEvenAsPossible) {
  const Layout layout{.pp = 16, .split = StageSplit::balanced};
  EXPECT_EQ(layers_of_stages(deepseek_v3(), layout),
            (std::vector<int>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3}));
}

TEST(LayersOfStages, SumsToTheModelAndDiffersByAtMostOne) {
  for (int layers = 1; layers <= 40; ++layers) {
    for (int pp = 1; pp <= layers; ++pp) {
      ModelSpec model = llama_8b();
      model.layers = layers;
      const std::vector<int> stages = layers_of_stages(model, Layout{.pp = pp, .split = StageSplit::balanced});
      EXPECT_EQ(std::accumulate(stages.begin(), stages.end(), 0), layers);
      const auto [least, most] = std::minmax_element(stages.begin(), stages.end());
      EXPECT_LE(*most - *least, 1);
    }
  }
}

TEST(Divisors, TextsListWhatWouldBeRight) {
  EXPECT_EQ(divisors_text(1), "1");
  EXPECT_EQ(divisors_text(36), "1, 2, 3, 4, 6, 9, 12, 18 or 36");
  EXPECT_EQ(nearest_multiples_text(15, 4), "12 or 16");
  EXPECT_EQ(nearest_multiples_text(3, 4), "4");
}

}  // namespace
}  // namespace stepsim
