// Defaults of design.md section 6, cluster sizing, and values of later versions.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/read_scenario.h"
#include "topology/fabric.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const LibraryPaths kLibrary = find_library("", STEPSIM_SOURCE_DIR);
const std::string kHead =
    "model: {layers: 16, hidden: 1024, ffn: 4096, heads: 8, vocab: 32000}\n"
    "cluster: {accelerator: {peak: {bf16: 100 TFLOP/s, fp8: 200 TFLOP/s}, memory: {capacity: 80 GiB, bandwidth: 2 "
    "TB/s}}, "
    "topology: {levels: [{size: 8, bandwidth: 100 GB/s}]}}\n";
const std::string kTraining = "workload: {kind: training, seq_len: 1024, global_batch: 64}\n";

ScenarioResult read_text(const std::string& text) {
  const fs::path file = fs::temp_directory_path() / fmt::format("stepsim_rules_{}.yaml", ::getpid());
  std::ofstream(file) << text;
  ScenarioResult result = read_scenario(file.string(), kLibrary);
  fs::remove(file);
  return result;
}

Scenario good(const std::string& text) {
  const ScenarioResult result = read_text(text);
  EXPECT_TRUE(result.scenario.has_value()) << render_all(result);
  return result.scenario.value_or(Scenario{});
}

TEST(Defaults, OfTraining) {
  const Scenario s = good(kHead + "layout: {tp: 2}\n" + kTraining);
  EXPECT_EQ(s.layout.dp, 4);
  EXPECT_TRUE(s.layout.sequence_parallel);
  EXPECT_EQ(s.layout.order, (std::vector{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp}));
  EXPECT_EQ(s.workload.micro_batch, 1);
  EXPECT_EQ(s.workload.schedule, "1f1b");
  EXPECT_EQ(s.workload.recompute, Recompute::none);
  EXPECT_EQ(s.workload.zero_stage, 0);
  EXPECT_EQ(s.workload.optimizer, Optimizer::adam);
  EXPECT_EQ(s.workload.precision.gemm, Dtype::bf16);
  EXPECT_FALSE(s.workload.gradient_sync.has_value());
  EXPECT_EQ(s.stack.gradient_dtype, Dtype::fp32);
  EXPECT_TRUE(s.overlap.cp && s.overlap.pp && s.overlap.dp);
  EXPECT_FALSE(s.overlap.tp || s.overlap.ep);
  EXPECT_EQ(s.context_parallel.hop_sync, HopSync::lockstep);
  EXPECT_EQ(s.simulation.seed, 1u);
  EXPECT_TRUE(s.simulation.fold && s.simulation.max_min);
  EXPECT_EQ(s.model.kv_heads, 8);
  EXPECT_EQ(s.model.head_dim, 128);
  EXPECT_EQ(s.cluster.levels[0].name, "level0");
}

TEST(Defaults, WithoutLayoutDpFillsTheCluster) { EXPECT_EQ(good(kHead + kTraining).layout.dp, 8); }

TEST(Defaults, VirtualStagesInterleave) {
  EXPECT_EQ(good(kHead + "layout: {pp: 4, virtual_stages: 2, dp: 2}\n" + kTraining).workload.schedule,
            "interleaved_1f1b");
}

TEST(Precision, ScalarAndMap) {
  const Precision fp8 =
      good(kHead + "workload: {kind: prefill, seq_len: 1024, batch: 8, precision: fp8}\n").workload.precision;
  EXPECT_EQ(fp8.gemm, Dtype::fp8);
  EXPECT_EQ(fp8.dispatch, Dtype::fp8);
  EXPECT_EQ(fp8.attention, Dtype::bf16);
  EXPECT_EQ(fp8.combine, Dtype::bf16);
  const Workload map =
      good(kHead +
           "workload: {kind: prefill, seq_len: 1024, batch: 8, precision: {gemm: fp8, ffn: bf16, kv_cache: fp8}}\n")
          .workload;
  EXPECT_EQ(map.precision.ffn, Dtype::bf16);
  EXPECT_EQ(map.precision.kv_cache, Dtype::fp8);
  EXPECT_EQ(map.precision.attention, Dtype::bf16);
  EXPECT_EQ(map.linear_dtype, Dtype::fp8);
}

TEST(ClusterSize, ByAccelerators) {
  const std::string model = "model: llama-3-8b\nworkload: {kind: prefill, seq_len: 1024, batch: 48}\n";
  const Scenario four = good(model + "cluster: {name: dgx-h100, accelerators: 4}\n");
  EXPECT_EQ(count_devices(four.cluster), 4u);
  const Scenario more = good(model + "cluster: {name: dgx-h100, accelerators: 24}\n");
  EXPECT_EQ(count_devices(more.cluster), 24u);
  EXPECT_EQ(more.cluster.levels.back().size, 3);
  EXPECT_EQ(more.cluster.name, "dgx-h100");
}

TEST(Perturb, BecomesFaultsOfTheCluster) {
  const Scenario s =
      good(kHead + kTraining +
           "perturb:\n  slow_ranks: [{rank: 3, slowdown: 1.2}]\n  slow_links: [{class: level0, bandwidth: 50 %}]\n"
           "  kernel_jitter: {sigma: 5 %}\n  hop_jitter: {sigma: 10 %}\n");
  ASSERT_EQ(s.perturb.slow_ranks.size(), 1u);
  EXPECT_EQ(s.perturb.slow_ranks[0].slowdown, 1.2);
  EXPECT_EQ(s.perturb.kernel_jitter_sigma, 0.05);
  EXPECT_EQ(s.perturb.hop_jitter_sigma, 0.1);
  ASSERT_EQ(s.cluster.faults.size(), 1u);
  EXPECT_EQ(s.cluster.faults[0].bandwidth_factor, 0.5);
}

TEST(Expect, Tolerances) {
  const Scenario s =
      good(kHead + kTraining +
           "expect:\n  - {metric: step_time_s, between: [1, 2]}\n  - {metric: mfu, equals: 0.5, tolerance: 3 %}\n");
  EXPECT_EQ(s.expect[0].between->second, 2);
  EXPECT_TRUE(s.expect[1].relative);
  EXPECT_EQ(s.expect[1].tolerance, 0.03);
}

/// Known values of later versions: exit status 2, and only where the file has no error.
TEST(NotBuilt, IsSaidByName) {
  const std::vector<std::string> tails{"context_parallel: {variant: pass_q}\n",
                                       "context_parallel: {variant: {ring: 4, all_to_all: 2}}\n",
                                       "context_parallel: {causal_balance: striped}\n",
                                       "simulation: {collective_detail: steps}\n",
                                       "overlap: {tp: true}\n",
                                       "overlap: {tp: {chunks: 4}}\n",
                                       "layout: {order: auto}\n",
                                       "layout: {dcp: 2}\n"};
  for (const std::string& tail : tails)
    EXPECT_THROW(read_text(fmt::format("{}{}{}", kHead, kTraining, tail)), NotBuiltError) << tail;
  for (const char* schedule : {"zb_h1", "my/order.csv"}) {
    EXPECT_THROW(
        read_text(kHead + fmt::format("workload: {{kind: training, seq_len: 1024, global_batch: 64, schedule: {}}}\n",
                                      schedule)),
        NotBuiltError)
        << schedule;
  }
}

TEST(NotBuilt, ErrorsComeFirst) {
  const ScenarioResult result = read_text(kHead + kTraining + "overlap: {tp: true, cq: true}\n");
  ASSERT_EQ(result.diagnostics.all().size(), 1u);
  EXPECT_EQ(result.diagnostics.all()[0].message, "unknown key 'cq' in overlap");
}

TEST(Accelerator, KeysReachTheirFields) {
  const std::string chip =
      "cluster: {accelerator: {name: x, peak: {bf16: 1 PFLOP/s}, memory: {capacity: 1 GiB, bandwidth: 1 TB/s, "
      "efficiency: 90 %, thin_gemm_efficiency: 70 %, overhead: 3 us}, "
      "sms: 100, sustained_clock: 75 %, gemm: {bf16: {ceiling: 60 %, tile: [64, 32], half_k: 99, overhead: 1 us}}, "
      "attention: {forward_ceiling: 61 %, backward_ceiling: 41 %, half_length: 222, overhead: 7 us, "
      "decode_bandwidth_share: 55 %}, "
      "communication: {collective_sm_share: 10 %, p2p_sm_share: 2 %}, assumptions: [guess]}, topology: {levels: "
      "[{size: 8, bandwidth: 1 GB/s}]}}\n";
  const Scenario s = good(kHead.substr(0, kHead.find("cluster:")) + chip + kTraining);
  const Accelerator& a = s.accelerator;
  EXPECT_EQ(a.memory_efficiency, 0.9);
  EXPECT_EQ(a.thin_gemm_efficiency, 0.7);
  EXPECT_EQ(a.memory_overhead, Seconds(3e-6));
  EXPECT_EQ(a.sms, 100);
  EXPECT_EQ(a.sustained_clock, 0.75);
  const GemmCurve& curve = a.gemm.at(Dtype::bf16);
  EXPECT_EQ(curve.ceiling, 0.6);
  EXPECT_EQ(curve.tile_m, 64);
  EXPECT_EQ(curve.tile_n, 32);
  EXPECT_EQ(curve.half_k, 99);
  EXPECT_EQ(curve.overhead, Seconds(1e-6));
  EXPECT_EQ(a.attention.forward_ceiling, 0.61);
  EXPECT_EQ(a.attention.backward_ceiling, 0.41);
  EXPECT_EQ(a.attention.half_length, 222);
  EXPECT_EQ(a.attention.overhead, Seconds(7e-6));
  EXPECT_EQ(a.attention.decode_bandwidth_share, 0.55);
  EXPECT_EQ(a.comm_sm_share, 0.1);
  EXPECT_EQ(a.p2p_sm_share, 0.02);
  EXPECT_EQ(s.assumptions, std::vector<std::string>{"guess"});
}

/// A default that its own rule refuses would surface here.
template <class T>
void read_empty(const Section<T>& section) {
  Reader reader(kLibrary);
  YamlNode empty;
  empty.kind = YamlNode::Kind::map;
  T value{};
  section.read(value, empty, reader);
  for (const Diagnostic& item : reader.diagnostics.all()) {
    EXPECT_NE(item.message.find(" needs the key "), std::string::npos) << item.message;
  }
  EXPECT_TRUE(reader.not_built.empty());
}

TEST(Defaults, EveryTablePassesItsOwnRules) {
  read_empty(model_section());
  read_empty(accelerator_section());
  read_empty(cluster_section());
  read_empty(layout_section());
  read_empty(workload_section());
  read_empty(overlap_section());
  read_empty(context_parallel_section());
  read_empty(stack_section());
  read_empty(simulation_section());
  read_empty(perturb_section());
  read_empty(stress_section());
  read_empty(search_section());
  read_empty(size_section());
  read_empty(expect_section());
  read_empty(measured_section());
}

}  // namespace
}  // namespace stepsim
