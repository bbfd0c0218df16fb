// When are gradients and weights exchanged between replicas, and how many bytes?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workloads/lowered.h"

namespace stepsim {
namespace {

using namespace test;

constexpr int kLayers = 4, kHidden = 256;
// Textbook layer: qkv 3 D^2, output D^2, FFN 8 D^2, two norms of D.
constexpr double kLayerParameters = 12.0 * kHidden * kHidden + 2 * kHidden;

/// Every layer is a bucket; the model has no vocabulary, so stage 0 of a pipeline has layers only.
StepSpec replicas(int zero_stage, const std::string& schedule = "1f1b", int pp = 2) {
  StepSpec spec = training_spec(textbook(kLayers * pp, kHidden, 4), Layout{.pp = pp, .dp = 4}, 4, 128);
  spec.workload.zero_stage = zero_stage, spec.workload.schedule = schedule;
  spec.stack.gradient_bucket = Bytes(1);
  return spec;
}

double dp_bytes(const StepGraph& graph, CommKind kind) { return bytes_of(comms_of(graph, 0, Axis::dp, kind)); }

// ZeRO 0: one AllReduce of the fp32 gradients; 1: ReduceScatter of them and AllGather of the 16-bit weights
// (Rajbhandari 2020, arXiv 1910.02054, section 7).
TEST(LoweredDp, ZeroStages0And1) {
  const double gradients = kLayers * kLayerParameters * 4, weights = kLayers * kLayerParameters * 2;
  EXPECT_EQ(dp_bytes(lower(replicas(0)), CommKind::all_reduce), gradients);
  EXPECT_EQ(dp_bytes(lower(replicas(0)), CommKind::all_gather), 0);
  EXPECT_EQ(dp_bytes(lower(replicas(1)), CommKind::reduce_scatter), gradients);
  EXPECT_EQ(dp_bytes(lower(replicas(1)), CommKind::all_gather), weights);
}

// ZeRO 2 reduces in each of the 4 microbatches (only a bucket stays unsharded); ZeRO 3 also gathers the weights twice
// in each, forward and backward.
TEST(LoweredDp, ZeroStages2And3) {
  const double gradients = kLayers * kLayerParameters * 4, weights = kLayers * kLayerParameters * 2;
  EXPECT_EQ(dp_bytes(lower(replicas(2)), CommKind::reduce_scatter), 4 * gradients);
  EXPECT_EQ(dp_bytes(lower(replicas(2)), CommKind::all_gather), weights);
  EXPECT_EQ(dp_bytes(lower(replicas(3)), CommKind::reduce_scatter), 4 * gradients);
  EXPECT_EQ(dp_bytes(lower(replicas(3)), CommKind::all_gather), 4 * 2 * weights);
}

TEST(LoweredDp, GradientSyncAndDtypeAsConfigured) {
  StepSpec spec = replicas(0);
  spec.workload.gradient_sync = GradientSync::every_microbatch;
  spec.workload.gradient_dtype = Dtype::bf16;
  EXPECT_EQ(dp_bytes(lower(spec), CommKind::all_reduce), 4 * kLayers * kLayerParameters * 2);
}

// TP shards the matrices, not the norms; CP ranks are replicas of the weights.
TEST(LoweredDp, ContextParallelRanksReduceToo) {
  StepSpec spec = training_spec(textbook(kLayers, kHidden, 4), Layout{.tp = 2, .cp = 2}, 1, 128);
  const StepGraph graph = lower(spec);
  EXPECT_EQ(dp_bytes(graph, CommKind::all_reduce), kLayers * (6.0 * kHidden * kHidden + 2 * kHidden) * 4);
  for (const Comm& comm : comms_of(graph, 0, Axis::dp, CommKind::all_reduce)) EXPECT_EQ(comm.group, GroupKind::dp_cp);
}

// Buckets are whole layers, closed as soon as they have reached the stack's size.
TEST(LoweredDp, BucketsCollectLayers) {
  StepSpec spec = replicas(0);
  spec.stack.gradient_bucket = Bytes(2 * kLayerParameters * 4);
  EXPECT_EQ(comms_of(lower(spec), 0, Axis::dp, CommKind::all_reduce).size(), kLayers / 2U);
  spec.stack.gradient_bucket = Bytes(1e12);
  EXPECT_EQ(comms_of(lower(spec), 0, Axis::dp, CommKind::all_reduce).size(), 1U);
}

/// Kernels of backward passes that follow the first gradient synchronisation.
std::size_t backward_kernels_after_first_sync(const StepGraph& graph) {
  const Program& program = program_of(graph, 0);
  std::size_t count = 0;
  bool synced = false;
  for (const Op& op : program.ops) {
    synced = synced || (op.kind == OpKind::collective && comm_of(graph, op)->axis == Axis::dp);
    count += synced && op.kind == OpKind::compute && op.pass == PassKind::backward ? 1U : 0U;
  }
  return count;
}

// `last`: the first bucket, the last layer's, leaves in the last microbatch's backward; the other layers of that pass
// follow, 12 kernels each (FFN: 2 x 2 gradients, activation, norm; attention: 2 x 2 gradients, scores, norm).
TEST(LoweredDp, SyncsInTheLastBackwardOfEverySchedule) {
  constexpr std::size_t kKernels = 12;
  for (const char* schedule : {"1f1b", "gpipe", "dualpipe"}) {
    const StepGraph graph = lower(replicas(0, schedule));
    const std::size_t stages = std::string(schedule) == "dualpipe" ? 2 : 1;
    EXPECT_LE(backward_kernels_after_first_sync(graph), stages * kLayers * kKernels) << schedule;
    EXPECT_GE(backward_kernels_after_first_sync(graph), (kLayers - 1) * kKernels) << schedule;
  }
}

TEST(LoweredDp, WithoutOverlapSyncsAfterTheLastBackward) {
  StepSpec spec = replicas(0);
  spec.overlap.dp = false;
  EXPECT_EQ(backward_kernels_after_first_sync(lower(spec)), 0U);
}

// What traces and error texts call these ops.
TEST(LoweredDp, SyncsAreLabelled) {
  for (const int zero : {0, 1, 2, 3}) {
    const StepGraph graph = lower(replicas(zero));
    for (const Op& op : program_of(graph, 0).ops) {
      const Comm* comm = comm_of(graph, op);
      if (comm == nullptr || comm->axis != Axis::dp) continue;
      EXPECT_EQ(op.pass, comm->kind == CommKind::all_gather ? PassKind::parameter_sync : PassKind::gradient_sync);
    }
  }
}

// ---- optimizer ----

double optimizer_traffic(const StepGraph& graph) {
  double sum = 0;
  for (const Kernel& kernel : graph.kernels) {
    const auto* memory = std::get_if<MemoryOp>(&kernel.work);
    if (memory != nullptr && memory->optimizer) sum += memory->traffic.value();
  }
  return sum;
}

// Adam reads gradient, master weight and two moments (4 x 4 bytes), writes the last three and the 16-bit weight (14).
TEST(LoweredOptimizer, TrafficOfAdam) {
  StepSpec spec = training_spec(textbook(kLayers, kHidden, 4), Layout{}, 1, 128);
  spec.workload.optimizer = Optimizer::adam;
  EXPECT_EQ(optimizer_traffic(lower(spec)), kLayers * kLayerParameters * 30);
  spec.workload.optimizer = Optimizer::none;
  EXPECT_EQ(optimizer_traffic(lower(spec)), 0);
}

TEST(LoweredOptimizer, ZeroShardsIt) {
  StepSpec spec = training_spec(textbook(kLayers, kHidden, 4), Layout{.cp = 2, .dp = 4}, 1, 128);
  spec.workload.optimizer = Optimizer::adam, spec.workload.zero_stage = 1;
  EXPECT_EQ(optimizer_traffic(lower(spec)), kLayers * kLayerParameters * 30 / 8);
}

// The norm of all gradients is one number over all ranks, on the axis that has them.
TEST(LoweredOptimizer, NormOfTheGradients) {
  for (const auto& [layout, axis] : {std::pair{Layout{.tp = 2, .pp = 2, .dp = 2}, Axis::dp},
                                     {Layout{.tp = 2, .pp = 2}, Axis::pp},
                                     {Layout{.tp = 2}, Axis::tp}}) {
    StepSpec spec = training_spec(textbook(kLayers, kHidden, 4), layout, 4, 128);
    spec.workload.optimizer = Optimizer::adam;
    const auto norms = comms_of(lower(spec), 0, axis, CommKind::scalar_all_reduce);
    ASSERT_EQ(norms.size(), 1U);
    EXPECT_EQ(norms[0].group, GroupKind::world);
  }
}

// ---- tied embeddings ----

// First and last stage reduce the gradient of the matrix that they share: V/t D fp32 numbers, booked on pp.
TEST(LoweredTied, FirstAndLastStageReduceTheirGradient) {
  ModelSpec model = textbook(8, kHidden, 4, 1024);
  model.tied_embeddings = true;
  const Layout layout{.tp = 2, .pp = 4};
  const StepGraph graph = lower(training_spec(model, layout, 4, 128));
  for (int stage = 0; stage < 4; ++stage) {
    const auto found = comms_of(graph, graph.grid.rank(0, 0, 0, stage).index(), Axis::pp, CommKind::all_reduce);
    ASSERT_EQ(found.size(), stage == 0 || stage == 3 ? 1U : 0U);
    for (const Comm& comm : found) EXPECT_EQ(comm.bytes, 1024 / 2 * kHidden * 4);
    for (const Comm& comm : found) EXPECT_EQ(comm.group, GroupKind::embedding);
  }
}

}  // namespace
}  // namespace stepsim
