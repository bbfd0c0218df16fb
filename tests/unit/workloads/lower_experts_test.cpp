// What does a MoE layer exchange and compute?
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/workloads/lowered.h"
#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

constexpr int kLayers = 2, kHidden = 256, kExperts = 8, kTopK = 2, kWidth = 128, kTokens = 512;

ModelSpec experts_model(int shared = 0) {
  ModelSpec model = textbook(kLayers, kHidden, 4);
  model.moe = {.experts = kExperts, .top_k = kTopK, .ffn = kWidth, .shared_experts = shared};
  return model;
}

std::vector<Comm> exchanges(const StepGraph& graph) { return comms_of(graph, 0, Axis::ep, CommKind::all_to_all); }

// Dispatch and combine of s b k D e (ep-1)/ep bytes, forward and again backward (physics.md, EP).
TEST(LoweredEp, FourExchangesALayer) {
  for (const int ep : {2, 4, 8}) {
    const auto found = exchanges(lower(training_spec(experts_model(), Layout{.dp = 8, .ep = ep}, 1, kTokens)));
    EXPECT_EQ(found.size(), 4U * kLayers);
    for (const Comm& comm : found) {
      EXPECT_EQ(comm.bytes, kTokens * kTopK * kHidden * 2 * (ep - 1) / ep);
      EXPECT_EQ(comm.copies, kTopK);
    }
  }
}

// fp8 tokens on their way out halve the dispatch; results come back in 16 bits, and so do all gradients.
TEST(LoweredEp, DispatchInFp8) {
  StepSpec spec = training_spec(experts_model(), Layout{.dp = 4, .ep = 4}, 1, kTokens);
  const double full = bytes_of(exchanges(lower(spec)));
  spec.workload.precision = precision_from_scalar(Dtype::fp8);
  spec.workload.routing.nodes_per_token = 4;
  const auto found = exchanges(lower(spec));
  EXPECT_EQ(bytes_of(found), full * 7 / 8);
  for (const Comm& comm : found) EXPECT_EQ(comm.nodes_per_token, 4);
}

// Each TP rank routes 1/t of the tokens.
TEST(LoweredEp, TensorParallelRanksShareTheTokens) {
  for (const bool split : {false, true}) {
    const Layout layout{.tp = 4, .dp = 2, .ep = 4, .sequence_parallel = split};
    for (const Comm& comm : exchanges(lower(training_spec(experts_model(), layout, 1, kTokens)))) {
      EXPECT_EQ(comm.bytes, kTokens / 4 * kTopK * kHidden * 2 * 3 / 4);
    }
  }
}

// All ranks: 3 x 2 flops for each token and matrix element that multiplies it (4 D^2 of attention, router, top-k
// experts, shared experts) and 12 B s^2 D of unfused attention, however the experts are spread.
TEST(LoweredEp, FlopsDoNotDependOnTheLayout) {
  for (const Layout& layout :
       {Layout{.dp = 8}, Layout{.dp = 8, .ep = 8}, Layout{.tp = 2, .dp = 4, .ep = 4},
        Layout{.dp = 8, .ep = 4, .etp = 2}, Layout{.tp = 2, .cp = 2, .pp = 2, .dp = 2, .ep = 8}}) {
    StepSpec spec = training_spec(experts_model(1), layout, 8 / layout.dp, kTokens);
    spec.stack.flash_attention = false;
    const double each = 4.0 * kHidden * kHidden + kExperts * kHidden + (kTopK + 1) * 2.0 * kHidden * kWidth;
    const double tokens = 8.0 * kTokens, attention = 12.0 * kTokens * tokens * kHidden;
    EXPECT_DOUBLE_EQ(total_flops(lower(spec)), kLayers * (6 * tokens * each + attention)) << layout.ranks();
  }
}

double expert_rows(const StepGraph& graph, std::size_t rank) {
  const auto gemm = std::get<Gemm>(kernels_named(graph, rank, "expert_up").at(0).work);
  return static_cast<double>(gemm.m * gemm.groups);
}

// The busiest rank gets `imbalance` times the mean, the others share the rest: the sum stays.
TEST(LoweredEp, ImbalanceMovesRowsToTheBusiestRank) {
  StepSpec spec = training_spec(experts_model(), Layout{.dp = 4, .ep = 4}, 1, kTokens);
  spec.workload.routing.imbalance = 1.75;
  const StepGraph graph = lower(spec);
  const double mean = kTokens * kTopK;
  EXPECT_EQ(expert_rows(graph, 0), 1.75 * mean);
  for (std::size_t rank = 1; rank < 4; ++rank) EXPECT_EQ(expert_rows(graph, rank), 0.75 * mean);
}

// etp: the ranks of an expert gather their routed rows and scatter the sums, forward and backward, on EP's axis.
TEST(LoweredEp, ExpertTensorParallelism) {
  const StepGraph graph = lower(training_spec(experts_model(), Layout{.dp = 4, .ep = 2, .etp = 2}, 1, kTokens));
  for (const CommKind kind : {CommKind::all_gather, CommKind::reduce_scatter}) {
    const auto found = comms_of(graph, 0, Axis::ep, kind);
    EXPECT_EQ(found.size(), 2U * kLayers);
    for (const Comm& comm : found) {
      EXPECT_EQ(comm.group, GroupKind::etp);
      EXPECT_EQ(comm.bytes, 2 * kTokens * kTopK * kHidden * 2);
    }
  }
}

// Experts' gradients go over the ranks that hold the same ones: tp cp dp / (ep etp) of them.
TEST(LoweredEp, ExpertGradientsHaveTheirOwnGroup) {
  const StepGraph graph = lower(training_spec(experts_model(), Layout{.dp = 8, .ep = 2}, 1, kTokens));
  double bytes = 0;
  for (const Comm& comm : comms_of(graph, 0, Axis::dp, CommKind::all_reduce)) {
    if (comm.group == GroupKind::expert_dp) bytes += static_cast<double>(comm.bytes);
  }
  EXPECT_EQ(bytes, kLayers * kExperts / 2 * 2.0 * kHidden * kWidth * 4);
}

// The first layers of DeepSeek-V3 are dense.
TEST(LoweredEp, DenseLayersExchangeNothing) {
  ModelSpec model = experts_model();
  model.moe.dense_layers = 1;
  EXPECT_EQ(exchanges(lower(training_spec(model, Layout{.dp = 4, .ep = 4}, 1, kTokens))).size(), 4U * (kLayers - 1));
}

/// Place of the first op of a program with this name of a kernel or communication, from `start` on.
std::size_t place_of(const StepGraph& graph, const std::string& name, std::size_t start = 0) {
  const Program& program = program_of(graph, 0);
  for (std::size_t i = start; i < program.ops.size(); ++i) {
    const Kernel* kernel = kernel_of(graph, program.ops[i]);
    if ((kernel != nullptr ? kernel->name : comm_of(graph, program.ops[i])->name) == name) return i;
  }
  return program.ops.size();
}

bool depends(const StepGraph& graph, std::size_t op, std::size_t on) {
  for (const std::uint32_t dep : program_of(graph, 0).deps.row(op)) {
    if (dep == on) return true;
  }
  return false;
}

// Shared experts run beside the dispatch, routed ones after it.
TEST(LoweredEp, SharedExpertsHideTheDispatch) {
  StepSpec spec = training_spec(experts_model(1), Layout{.dp = 4, .ep = 4}, 1, kTokens);
  spec.overlap.ep = true;
  const StepGraph graph = lower(spec);
  const std::size_t dispatch = place_of(graph, "dispatch"), shared = place_of(graph, "shared_up");
  EXPECT_LT(dispatch, shared);
  EXPECT_FALSE(depends(graph, shared, dispatch));
  EXPECT_TRUE(depends(graph, place_of(graph, "expert_up"), dispatch));
}

/// Exchanges beside which a kernel of another microbatch or pass is issued before the first op that needs them.
double share_with_company(const StepGraph& graph) {
  const Program& program = program_of(graph, 0);
  double all = 0, accompanied = 0;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind != OpKind::collective || op.stream != Stream::ep) continue;
    ++all;
    for (std::size_t j = i + 1; j < program.ops.size() && !depends(graph, j, i); ++j) {
      const Op& next = program.ops[j];
      if (next.kind != OpKind::compute || (next.microbatch == op.microbatch && next.pass == op.pass)) continue;
      ++accompanied;
      break;
    }
  }
  return accompanied / all;
}

// One token of a decode batch goes to top_k experts: their weights are read, not all. A large batch hits every one.
TEST(LoweredEp, SmallBatchesReadTheExpertsThatTheyHit) {
  for (const auto& [batch, groups] : {std::pair{1, kTopK}, {4096, kExperts}}) {
    const StepGraph graph = lower(inference_spec(experts_model(), Layout{}, WorkloadKind::decode, batch, 256));
    int found = 0;
    for (const Kernel& kernel : graph.kernels) {
      if (kernel.name != "expert_up") continue;
      EXPECT_EQ(std::get<Gemm>(kernel.work).groups, groups) << batch;
      EXPECT_EQ(std::get<Gemm>(kernel.work).m * groups, batch * kTopK) << batch;
      ++found;
    }
    EXPECT_EQ(found, 1) << batch;
  }
}

// With EP overlap two microbatches take turns, so each exchange has the other one's kernels beside it, but for the
// ends.
TEST(LoweredEp, TwoMicrobatchesTakeTurnsInInference) {
  for (const WorkloadKind kind : {WorkloadKind::prefill, WorkloadKind::decode}) {
    StepSpec spec = inference_spec(experts_model(), Layout{.dp = 4, .ep = 4}, kind, 16, 256);
    EXPECT_EQ(exchanges(lower(spec)).size(), 2U * kLayers);
    spec.overlap.ep = true;
    const StepGraph graph = lower(spec);
    EXPECT_EQ(exchanges(graph).size(), 2 * 2U * kLayers);
    EXPECT_GE(share_with_company(graph), 1 - 1.0 / (2 * 2 * kLayers));
  }
}

// dualpipe pairs a forward with a backward pass; of rank 0's 8 + 8 passes, 3 + 3 are not paired with p 2, m 8.
TEST(LoweredEp, PairedPassesTakeTurnsInTraining) {
  StepSpec spec = training_spec(experts_model(), Layout{.pp = 2, .dp = 4, .ep = 4}, 8, kTokens);
  spec.workload.schedule = "dualpipe";
  spec.overlap.ep = true;
  EXPECT_GE(share_with_company(lower(spec)), 0.5);
  spec.overlap.ep = false;
  EXPECT_EQ(lower(spec).programs.size(), 2U);
}

}  // namespace
}  // namespace stepsim
