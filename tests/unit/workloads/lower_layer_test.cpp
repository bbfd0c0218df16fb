// Which communications does a layer have on each axis, and with how many bytes?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workloads/lowered.h"
#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

constexpr int kLayers = 2, kHidden = 512, kSequence = 256;

StepSpec dense(const Layout& layout) { return training_spec(textbook(kLayers, kHidden, 8), layout, 1, kSequence); }

std::size_t count_in_pass(const StepGraph& graph, Axis axis, CommKind kind, PassKind pass) {
  const auto wanted = [&](const Op& op, const Comm& c) { return c.axis == axis && c.kind == kind && op.pass == pass; };
  return comms_where(graph, program_of(graph, 0), wanted).size();
}

// ---- tensor parallelism ----

// Two AllReduces of s b D e bytes a layer forward and two backward (Shoeybi 2019, figure 4), whatever the degree.
TEST(LoweredTp, FourAllReducesALayerWhoseBytesDoNotDependOnT) {
  for (const int t : {2, 4, 8}) {
    const StepGraph graph = lower(dense(Layout{.tp = t}));
    EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::all_reduce, PassKind::forward), 2U * kLayers);
    EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::all_reduce, PassKind::backward), 2U * kLayers);
    for (const Comm& comm : comms_of(graph, 0, Axis::tp, CommKind::all_reduce)) {
      EXPECT_EQ(comm.bytes, kSequence * kHidden * 2);
      EXPECT_EQ(comm.group, GroupKind::tp);
    }
  }
}

// Sequence parallelism: AllGather before and ReduceScatter after each half of a layer. Backward gathers the gradient of
// each output, and each input once more for its weight gradient (Korthikanti 2022, section 4.2.2).
TEST(LoweredTp, SequenceParallelismGathersAndScatters) {
  const StepGraph graph = lower(dense(Layout{.tp = 4, .sequence_parallel = true}));
  EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::all_gather, PassKind::forward), 2U * kLayers);
  EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::reduce_scatter, PassKind::forward), 2U * kLayers);
  EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::all_gather, PassKind::backward), 4U * kLayers);
  EXPECT_EQ(count_in_pass(graph, Axis::tp, CommKind::reduce_scatter, PassKind::backward), 2U * kLayers);
  EXPECT_TRUE(comms_of(graph, 0, Axis::tp, CommKind::all_reduce).empty());
  for (const Comm& comm : comms_of(graph, 0, Axis::tp, CommKind::all_gather))
    EXPECT_EQ(comm.bytes, kSequence * kHidden * 2);
}

// Full recompute repeats the forward's two AllReduces.
TEST(LoweredTp, RecomputeRepeatsTheForwardsReductions) {
  StepSpec spec = dense(Layout{.tp = 4});
  spec.workload.recompute = Recompute::full;
  EXPECT_EQ(count_in_pass(lower(spec), Axis::tp, CommKind::all_reduce, PassKind::recompute), 2U * kLayers);
}

// Norms and residuals work on 1/t of the tokens with sequence parallelism, on all without.
TEST(LoweredTp, SequenceParallelismSplitsTheNorms) {
  const double all =
      std::get<MemoryOp>(kernels_named(lower(dense(Layout{.tp = 4})), 0, "norm_ffn")[0].work).traffic.value();
  const StepGraph split = lower(dense(Layout{.tp = 4, .sequence_parallel = true}));
  EXPECT_EQ(std::get<MemoryOp>(kernels_named(split, 0, "norm_ffn")[0].work).traffic.value(), all / 4);
}

// TP above kv_heads keeps one KV head on each rank: 128/16 + 2 heads of 128 columns (physics.md, inference).
TEST(LoweredTp, ReplicatesKvHeadsBeyondTheirNumber) {
  const StepGraph graph = lower(training_spec(llama_405b(), Layout{.tp = 16}, 1, 256));
  EXPECT_EQ(std::get<Gemm>(kernels_named(graph, 0, "qkv")[0].work).n, (128 / 16 + 2) * 128);
}

// Vocabulary-parallel cross-entropy: three AllReduces of one fp32 number a token (largest, sum, target's logit); the
// embedding's output and the gradient of the head's input are reduced in full.
TEST(LoweredTp, LossOverAShardedVocabulary) {
  const StepGraph graph = lower(training_spec(textbook(kLayers, kHidden, 8, 1024), Layout{.tp = 4}, 1, kSequence));
  std::size_t small = 0, full = 0;
  for (const Comm& comm : comms_of(graph, 0, Axis::tp, CommKind::all_reduce)) {
    small += comm.bytes == 4 * kSequence ? 1U : 0U;
    full += comm.bytes == 2 * kSequence * kHidden ? 1U : 0U;
  }
  EXPECT_EQ(small, 3U);
  EXPECT_EQ(full, 4U * kLayers + 2);
}

// ---- context parallelism ----

// Forward n-1 hops of 2 (s/n) ceil(n_kv/t) d e bytes a layer; backward the same n-1 again and n of the gradients, which
// return to their owner.
TEST(LoweredCp, HopsAndTheirBytes) {
  for (const int n : {2, 4, 8}) {
    ModelSpec model = textbook(kLayers, kHidden, 8);
    model.kv_heads = 4;
    const StepGraph graph = lower(training_spec(model, Layout{.tp = 2, .cp = n}, 1, kSequence));
    EXPECT_EQ(count_in_pass(graph, Axis::cp, CommKind::ring_hop, PassKind::forward), kLayers * (n - 1U));
    EXPECT_EQ(count_in_pass(graph, Axis::cp, CommKind::ring_hop, PassKind::backward), kLayers * (2U * n - 1U));
    for (const Comm& comm : comms_of(graph, 0, Axis::cp, CommKind::ring_hop)) {
      EXPECT_EQ(comm.bytes, 2 * (kSequence / n) * 2 * 64 * 2);
      EXPECT_EQ(comm.group, GroupKind::cp);
    }
  }
}

double area(const StepGraph& graph, std::size_t rank) {
  double sum = 0;
  for (const Kernel& kernel : kernels_named(graph, rank, "attention")) sum += std::get<Attention>(kernel.work).area;
  return sum;
}

// Zigzag: each rank computes n blocks of (s/n)^2 / 2. Contiguous: rank r half a square and r full ones, others none.
TEST(LoweredCp, AreaOfEachRanksBlocks) {
  const double square = 64.0 * 64;
  StepSpec spec = dense(Layout{.cp = 4});
  EXPECT_EQ(area(lower(spec), 3), kLayers * 4 * square / 2);
  spec.context_parallel.causal_balance = CausalBalance::contiguous;
  const StepGraph graph = lower(spec);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(area(graph, rank), kLayers * (0.5 + static_cast<double>(rank)) * square) << rank;
    EXPECT_EQ(kernels_named(graph, rank, "attention_merge").size(), kLayers * rank) << rank;
  }
}

/// Deps of the hops of the first layer's forward that are kernels.
std::vector<std::size_t> kernels_before_hops(const StepGraph& graph) {
  const Program& program = program_of(graph, 0);
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (program.ops[i].kind != OpKind::ring_hop || program.ops[i].pass != PassKind::forward) continue;
    if (program.ops[i].layer != 0) continue;
    std::size_t count = 0;
    for (const std::uint32_t dep : program.deps.row(i)) count += program.ops[dep].kind == OpKind::compute ? 1U : 0U;
    counts.push_back(count);
  }
  return counts;
}

// Lockstep: each hop is posted after the block before it. Eager: the first needs the projections, later ones only data.
TEST(LoweredCp, LockstepHopsWaitForTheBlockBefore) {
  StepSpec spec = dense(Layout{.cp = 4});
  EXPECT_EQ(kernels_before_hops(lower(spec)), (std::vector<std::size_t>{1, 1, 1}));
  spec.context_parallel.hop_sync = HopSync::eager;
  const StepGraph eager = lower(spec);
  EXPECT_EQ(kernels_before_hops(eager), (std::vector<std::size_t>{1, 0, 0}));
  EXPECT_TRUE(comms_of(eager, 0, Axis::cp, CommKind::ring_hop)[0].eager);
}

// ---- precision ----

Dtype dtype_of(const StepGraph& graph, const char* name) {
  return std::get<Gemm>(kernels_named(graph, 0, name).at(0).work).dtype;
}

// `precision: fp8`: linear layers, but neither the output projection (DeepSeek-V3, arXiv 2412.19437, section 3.3.1) nor
// attention.
TEST(LoweredPrecision, OutputProjectionStaysIn16Bits) {
  for (const Dtype dtype : {Dtype::fp8, Dtype::bf16, Dtype::fp16}) {
    StepSpec spec = training_spec(textbook(kLayers, kHidden, 8, 1024), Layout{}, 1, kSequence);
    spec.workload.precision = precision_from_scalar(dtype);
    const StepGraph graph = lower(spec);
    const Dtype unquantised = dtype == Dtype::fp8 ? Dtype::bf16 : dtype;
    EXPECT_EQ(dtype_of(graph, "ffn_up"), dtype);
    EXPECT_EQ(dtype_of(graph, "qkv_wgrad"), dtype);
    EXPECT_EQ(dtype_of(graph, "logits"), unquantised);
    EXPECT_EQ(std::get<Attention>(kernels_named(graph, 0, "attention").at(0).work).dtype, unquantised);
  }
}

// ---- overlap ----

// An axis that may not overlap issues on the compute stream, which needs no explicit dependencies.
TEST(LoweredOverlap, OffPutsAnAxisOnTheComputeStream) {
  StepSpec spec = dense(Layout{.tp = 2, .cp = 2, .pp = 2, .dp = 2});
  spec.overlap = Overlap{.tp = false, .cp = false, .pp = false, .dp = false, .ep = false};
  const StepGraph graph = lower(spec);
  for (const Program& program : graph.programs) {
    for (const Op& op : program.ops) EXPECT_EQ(op.stream, Stream::compute);
    EXPECT_EQ(program.deps.items(), 0U);
  }
}

TEST(LoweredOverlap, OnPutsEachAxisOnItsStream) {
  StepSpec spec = dense(Layout{.tp = 2, .cp = 2, .pp = 2, .dp = 2});
  spec.overlap = Overlap{.tp = true, .cp = true, .pp = true, .dp = true, .ep = true};
  const StepGraph graph = lower(spec);
  for (const Program& program : graph.programs) {
    for (const Op& op : program.ops) EXPECT_EQ(op.stream == Stream::compute, op.kind == OpKind::compute);
  }
}

bool depends(const Program& program, std::size_t op, std::size_t on) {
  const auto deps = program.deps.row(op);
  return std::find(deps.begin(), deps.end(), on) != deps.end();
}

// The reduction of an input gradient runs beside the product for the weight gradient; what is before it waits for it.
TEST(LoweredOverlap, TpReducesBesideTheWeightGradient) {
  StepSpec spec = dense(Layout{.tp = 2});
  spec.overlap.tp = true;
  const StepGraph graph = lower(spec);
  const Program& program = program_of(graph, 0);
  int found = 0;
  for (std::size_t i = 0; i + 2 < program.ops.size(); ++i) {
    const Kernel* next = kernel_of(graph, program.ops[i + 1]);
    if (program.ops[i].stream != Stream::tp || next == nullptr || next->name.find("_wgrad") == std::string::npos)
      continue;
    ++found;
    EXPECT_FALSE(depends(program, i + 1, i));
    EXPECT_TRUE(depends(program, i + 2, i));
  }
  EXPECT_EQ(found, 2 * kLayers);
}

}  // namespace
}  // namespace stepsim
