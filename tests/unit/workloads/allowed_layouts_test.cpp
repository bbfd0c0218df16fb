// Does every layout that the rules allow have stages, a schedule that plays and a finite memory, whatever its degrees?
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "tests/unit/workloads/models.h"
#include "workloads/layout_rules.h"
#include "workloads/memory.h"
#include "workloads/rank_grid.h"

namespace stepsim {
namespace {

using namespace test;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices
        .begin()[engine_() % choices.size()];  // not std::uniform_int_distribution: its draws differ by library
  }

 private:
  std::mt19937 engine_;
};

StepSpec random_spec(Dice& dice) {
  StepSpec spec;
  spec.model = dice.pick({llama_8b(), qwen3_30b(), deepseek_v3(), gpt3_175b()});
  Layout& layout = spec.layout;
  layout.tp = dice.pick({1, 1, 2, 4, 3}), layout.cp = dice.pick({1, 1, 2}), layout.pp = dice.pick({1, 2, 4, 5});
  layout.dp = dice.pick({1, 2, 4}), layout.ep = dice.pick({1, 1, 2, 4}), layout.etp = dice.pick({1, 1, 1, 2});
  layout.virtual_stages = dice.pick({1, 1, 2});
  layout.sequence_parallel = dice.pick({true, false}), layout.embedding_as_layer = dice.pick({true, false, false});
  layout.split = dice.pick({StageSplit::even, StageSplit::balanced});
  Workload& work = spec.workload;
  work.kind = dice.pick({WorkloadKind::training, WorkloadKind::training, WorkloadKind::prefill, WorkloadKind::decode});
  work.seq_len = work.context_len = dice.pick({512, 1024, 1000});
  work.global_batch = work.batch = dice.pick({8, 16, 40});
  work.schedule = dice.pick<const char*>({"1f1b", "gpipe", "interleaved_1f1b", "dualpipe"});
  work.zero_stage = dice.pick({0, 1, 2, 3});
  work.recompute = dice.pick({Recompute::none, Recompute::selective, Recompute::full});
  return spec;
}

void expect_sound_memory(const StepSpec& spec) {
  const std::vector<MemoryUse> stages = memory_by_stage(spec);
  ASSERT_EQ(static_cast<int>(stages.size()), spec.layout.pp);
  for (const MemoryUse& use : stages) {
    for (Bytes part : {use.weights, use.gradients, use.optimizer, use.activations, use.kv_cache, use.buffers}) {
      EXPECT_TRUE(std::isfinite(part.value()));
      EXPECT_GE(part, Bytes(0));
    }
    EXPECT_GT(use.weights, Bytes(0));
    EXPECT_GT(use.activations, Bytes(0));
  }
}

// More recompute never keeps more between the passes; one layer's tensors are there again while it is recomputed.
void expect_recompute_saves(StepSpec spec) {
  if (spec.workload.kind != WorkloadKind::training) return;
  spec.workload.recompute = Recompute::none;
  const std::vector<MemoryUse> none = memory_by_stage(spec);
  spec.workload.recompute = Recompute::full;
  const std::vector<MemoryUse> full = memory_by_stage(spec);
  for (std::size_t i = 0; i < none.size(); ++i) EXPECT_LE(full[i].activations, none[i].activations);
}

TEST(AllowedLayouts, HaveStagesAndMemory) {
  Dice dice(1);
  int allowed = 0;
  for (int i = 0; i < 4000; ++i) {
    const StepSpec spec = random_spec(dice);
    const auto problems = layout_problems(spec, static_cast<std::size_t>(spec.layout.ranks()));
    for (const LayoutProblem& problem : problems) EXPECT_FALSE(problem.help.empty()) << problem.message;
    if (!problems.empty()) continue;
    ++allowed;
    const std::vector<int> stages = layers_of_stages(spec.model, spec.layout);
    EXPECT_EQ(std::accumulate(stages.begin(), stages.end(), 0), spec.model.layers);
    expect_sound_memory(spec);
    expect_recompute_saves(spec);
  }
  EXPECT_GT(allowed, 200);  // else the draw no longer reaches what it tests
}

}  // namespace
}  // namespace stepsim
