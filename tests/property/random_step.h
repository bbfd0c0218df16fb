#pragma once
// Random steps over all axes, schedules, overlaps and disturbances, on random clusters.

#include <memory>
#include <random>
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/engine/simulate.h"
#include "topology/fabric.h"
#include "workloads/layout_rules.h"
#include "workloads/lower.h"

namespace stepsim::testing {

/// A step, the cluster under it and what disturbs it.
struct RandomStep {
  StepSpec spec;
  ClusterSpec cluster;
  Accelerator accelerator;
  SimulationOptions options;
  Perturbation perturbation;
  [[nodiscard]] std::string describe() const;
};

class RandomSteps {
 public:
  explicit RandomSteps(std::uint64_t seed) : random_(seed) {}

  /// The next one that the layout rules allow.
  RandomStep next() {
    for (;;) {
      RandomStep step = draw();
      if (layout_problems(step.spec, static_cast<std::size_t>(step.spec.layout.ranks())).empty()) return step;
    }
  }

 private:
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + static_cast<std::ptrdiff_t>(random_() % choices.size()));
  }
  bool coin(unsigned one_in = 2) { return random_() % one_in == 0; }

  RandomStep draw() {
    RandomStep step;
    draw_model(step.spec.model);
    draw_layout(step.spec);
    draw_workload(step.spec);
    draw_software(step.spec);
    draw_cluster(step);
    draw_disturbance(step);
    step.spec.memory_capacity = Bytes(80e9);
    return step;
  }

  void draw_model(ModelSpec& model) {
    model.name = "random";
    model.layers = pick({2, 4, 8});
    model.hidden = 512;
    model.ffn = pick({1024, 2048});
    model.heads = 8;
    model.kv_heads = pick({1, 2, 8});
    model.head_dim = 64;
    model.vocab = pick({0, 1024});
    model.mlp = pick({MlpKind::plain, MlpKind::gated});
    model.positions = pick({PositionKind::none, PositionKind::rotary});
    model.tied_embeddings = coin();
    if (coin(3)) model.moe = {8, 2, 256, static_cast<int>(random_() % 2), static_cast<int>(random_() % 2), 1, false};
    if (coin(5)) {
      model.mla = {128, 64, 32, 64, 64};
      model.kv_heads = model.heads;
    }
  }

  void draw_layout(StepSpec& spec) {
    Layout& layout = spec.layout;
    layout.tp = pick({1, 1, 2, 4});
    layout.cp = pick({1, 1, 2, 4});
    layout.pp = pick({1, 1, 2, 4});
    layout.dp = pick({1, 2, 4});
    if (spec.model.has_moe()) layout.ep = pick({1, 2, 4, 8});
    layout.virtual_stages = layout.pp > 1 ? pick({1, 1, 2}) : 1;
    layout.split = pick({StageSplit::even, StageSplit::balanced});
    layout.sequence_parallel = coin();
    if (coin(4)) layout.order = {Axis::tp, Axis::dp, Axis::cp, Axis::ep, Axis::pp};
    if (coin(4)) layout.order = {Axis::pp, Axis::tp, Axis::cp, Axis::ep, Axis::dp};
  }

  void draw_workload(StepSpec& spec) {
    Workload& work = spec.workload;
    work.kind = pick({WorkloadKind::training, WorkloadKind::training, WorkloadKind::training, WorkloadKind::prefill,
                      WorkloadKind::decode});
    work.seq_len = work.kind == WorkloadKind::decode ? 0 : 512;
    work.micro_batch = pick({1, 2});
    const int replicas = spec.layout.dp;
    if (work.kind == WorkloadKind::training) {
      work.global_batch = replicas * work.micro_batch * spec.layout.pp * pick({1, 2, 3});
      work.schedule =
          spec.layout.virtual_stages > 1 ? "interleaved_1f1b" : pick<std::string>({"gpipe", "1f1b", "dualpipe"});
      work.recompute = pick({Recompute::none, Recompute::selective, Recompute::full});
      work.zero_stage = pick({0, 1, 2, 3});
      work.optimizer = pick({Optimizer::none, Optimizer::adam});
      if (coin(4)) work.gradient_sync = pick({GradientSync::last, GradientSync::every_microbatch});
    } else {
      spec.layout.virtual_stages = 1;
      work.batch = replicas * pick({1, 4});
      if (work.kind == WorkloadKind::decode) work.context_len = 2048;
      if (work.kind == WorkloadKind::prefill && coin()) work.cached_len = 512;
    }
    if (spec.layout.ep > 1 && coin()) work.routing.imbalance = 1.5;
    if (spec.layout.ep > 1 && coin()) work.routing.nodes_per_token = 2;
  }

  void draw_software(StepSpec& spec) {
    spec.overlap = {coin(4), coin(), coin(), coin(), coin()};
    spec.context_parallel.causal_balance = pick({CausalBalance::zigzag, CausalBalance::contiguous});
    spec.context_parallel.hop_sync = pick({HopSync::lockstep, HopSync::eager});
    spec.stack.flash_attention = coin();
    spec.stack.gradient_bucket = Bytes(pick({1e5, 1e7}));
    spec.stack.launch = Seconds(pick({0.0, 1e-6, 6e-6}));
  }

  void draw_cluster(RandomStep& step) {
    const int ranks = step.spec.layout.ranks();
    const int inner = pick({1, 2, 4, 8});
    const int node = ranks % inner == 0 ? inner : 1;
    step.cluster.levels = {level("fast", node, 100e9, 1e-6), level("slow", ranks / node, pick({5e9, 25e9}), 4e-6)};
    step.accelerator.name = "random";
    for (const Dtype d : {Dtype::bf16, Dtype::fp16, Dtype::fp8, Dtype::fp32})
      step.accelerator.peak[d] = FlopsPerSecond(50e12);
    step.accelerator.memory_capacity = Bytes(80e9);
    step.accelerator.memory_bandwidth = BytesPerSecond(1e12);
    step.accelerator.comm_sm_share = pick({0.0, 0.1});
    step.accelerator.p2p_sm_share = pick({0.0, 0.05});
  }

  LevelSpec level(const char* name, int size, double bandwidth, double latency) {
    LevelSpec spec;
    spec.name = name;
    spec.size = size;
    spec.bandwidth = BytesPerSecond(bandwidth);
    spec.latency = Seconds(latency);
    spec.collective_overhead = Seconds(coin() ? 3e-6 : 0);
    spec.in_network = coin(3);
    return spec;
  }

  void draw_disturbance(RandomStep& step) {
    const auto ranks = static_cast<std::uint64_t>(step.spec.layout.ranks());
    if (coin(4)) step.perturbation.slow_ranks = {{static_cast<std::uint32_t>(random_() % ranks), 1.3}};
    if (coin(8)) step.perturbation.kernel_jitter_sigma = 0.05;
    if (coin(8)) step.perturbation.hop_jitter_sigma = 0.1;
    if (coin(5)) {
      LinkFault fault;
      fault.between = {"gpu" + std::to_string(random_() % ranks), coin() ? "fast0" : "slow0"};
      fault.bandwidth_factor = 0.5;
      step.cluster.faults = {fault};
    }
    step.options.max_min = !coin(6);
    step.options.seed = random_();
    step.options.all_reduce =
        pick<std::string>({"auto", "auto", "ring", "tree", "hierarchical", "halving_doubling", "one_shot"});
  }

  std::mt19937_64 random_;
};

inline std::string RandomStep::describe() const {
  const Layout& l = spec.layout;
  std::string text;
  for (const auto& [name, value] : {std::pair{"kind", static_cast<int>(spec.workload.kind)},
                                    {"tp", l.tp},
                                    {"cp", l.cp},
                                    {"pp", l.pp},
                                    {"dp", l.dp},
                                    {"ep", l.ep},
                                    {"v", l.virtual_stages},
                                    {"sp", int{l.sequence_parallel}},
                                    {"experts", spec.model.moe.experts},
                                    {"zero", spec.workload.zero_stage},
                                    {"batch", spec.workload.global_batch + spec.workload.batch},
                                    {"overlap_ep", int{spec.overlap.ep}},
                                    {"overlap_pp", int{spec.overlap.pp}},
                                    {"overlap_cp", int{spec.overlap.cp}},
                                    {"overlap_dp", int{spec.overlap.dp}},
                                    {"slow", static_cast<int>(perturbation.slow_ranks.size())},
                                    {"faults", static_cast<int>(cluster.faults.size())}}) {
    text += std::string(name) + "=" + std::to_string(value) + " ";
  }
  return text + spec.workload.schedule;
}

}  // namespace stepsim::testing
