// What does a prefill or decode step compute and exchange?
#include <gtest/gtest.h>

#include "tests/unit/workloads/lowered.h"
#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

using namespace test;

Attention attention_of(const StepGraph& graph, std::size_t rank = 0) {
  return std::get<Attention>(kernels_named(graph, rank, "attention").at(0).work);
}

double attention_flops(const StepGraph& graph) {
  double sum = 0;
  for (std::size_t rank = 0; rank < graph.program_of_rank.size(); ++rank) {
    for (const Kernel& kernel : kernels_named(graph, rank, "attention")) sum += kernel.flops.value();
  }
  return sum;
}

double gemm_flops(const StepGraph& graph) { return total_flops(graph) - attention_flops(graph); }

// ---- decode ----

// One token of each sequence reads its whole context: 8/8 KV heads on each TP rank, batch / dp sequences.
TEST(LoweredDecode, ReadsTheContextOfEachSequence) {
  const auto shape =
      attention_of(lower(inference_spec(llama_8b(), Layout{.tp = 8, .dp = 2}, WorkloadKind::decode, 32, 8192)));
  EXPECT_EQ(shape.sequences, 16);
  EXPECT_EQ(shape.q_len, 1);
  EXPECT_EQ(shape.kv_len, 8192);
  EXPECT_EQ(shape.area, 8192);
  EXPECT_EQ(shape.q_heads, 4);
  EXPECT_EQ(shape.kv_heads, 1);
}

// What runs is what the model needs: 2 flops a parameter and sequence but for the norms (65 of 4096), 4 x context x D x
// L.
TEST(LoweredDecode, FlopsAreTwoAParameter) {
  const StepGraph graph = lower(inference_spec(llama_8b(), Layout{.tp = 8}, WorkloadKind::decode, 16, 8192));
  EXPECT_DOUBLE_EQ(graph.model_flops.value() - total_flops(graph), 16 * 2 * 65 * 4096.0);
}

// pass-Q (arXiv 2411.01783, section 3.4): the queries of B/n sequences go round n-1 times, one all-to-all brings the
// partial results home; each rank reads its n-th of the context. 4 sequences x 8 heads x 64 x 2 bytes.
TEST(LoweredDecode, ContextParallelPassesQueries) {
  ModelSpec model = textbook(3, 512, 8);
  const StepGraph graph = lower(inference_spec(model, Layout{.cp = 4}, WorkloadKind::decode, 16, 4096));
  const auto hops = comms_of(graph, 0, Axis::cp, CommKind::ring_hop);
  EXPECT_EQ(hops.size(), 3 * 3U);
  for (const Comm& hop : hops) EXPECT_EQ(hop.bytes, 4 * 8 * 64 * 2);
  const auto back = comms_of(graph, 0, Axis::cp, CommKind::all_to_all);
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back[0].bytes, 3 * 4 * 8 * 64 * 2);
  EXPECT_EQ(attention_of(graph).kv_len, 1024);
}

// A rank of a CP group is home to B/n sequences: neither linear layers nor attention are computed twice.
TEST(LoweredDecode, ContextParallelismAddsNoFlops) {
  const auto graph = [](int cp) {
    return lower(inference_spec(textbook(3, 512, 8, 1024), Layout{.cp = cp}, WorkloadKind::decode, 16, 4096));
  };
  for (const int cp : {2, 4, 8}) {
    EXPECT_DOUBLE_EQ(attention_flops(graph(cp)), attention_flops(graph(1))) << cp;
    EXPECT_DOUBLE_EQ(gemm_flops(graph(cp)), gemm_flops(graph(1))) << cp;
  }
}

// MLA decodes over the latent cache (arXiv 2405.04434, section 2.1.2): one KV head of 512 + 64 columns, values of 512.
TEST(LoweredDecode, MlaIsAbsorbed) {
  const auto shape =
      attention_of(lower(inference_spec(deepseek_v3(), Layout{.dp = 8, .ep = 8}, WorkloadKind::decode, 64, 4096)));
  EXPECT_EQ(shape.kv_heads, 1);
  EXPECT_EQ(shape.q_heads, 128);
  EXPECT_EQ(shape.qk_dim, 576);
  EXPECT_EQ(shape.v_dim, 512);
}

// ---- prefill ----

// T new tokens see T/2 of each other on average and all of the Pc cached ones: T^2/2 + T Pc pairs, whatever the ring.
TEST(LoweredPrefill, AreaWithCachedTokens) {
  for (const int cp : {1, 2, 4}) {
    for (const CausalBalance balance : {CausalBalance::zigzag, CausalBalance::contiguous}) {
      StepSpec spec = inference_spec(textbook(2, 512, 8), Layout{.cp = cp}, WorkloadKind::prefill, 1, 1024);
      spec.workload.cached_len = 2048;
      spec.context_parallel.causal_balance = balance;
      const double pairs = 1024.0 * 1024 / 2 + 1024.0 * 2048;
      EXPECT_DOUBLE_EQ(attention_flops(lower(spec)), 2 * 4 * 512 * pairs) << cp;
    }
  }
}

// Hops carry the keys and values of 1/n of new and cached tokens: 2 (T + Pc)/n ceil(n_kv/t) d e.
TEST(LoweredPrefill, HopsCarryTheCacheToo) {
  StepSpec spec = inference_spec(llama_405b(), Layout{.tp = 8, .cp = 4}, WorkloadKind::prefill, 1, 4096);
  spec.workload.cached_len = 8192;
  const auto hops = comms_of(lower(spec), 0, Axis::cp, CommKind::ring_hop);
  EXPECT_EQ(hops.size(), 126 * 3U);
  for (const Comm& hop : hops) EXPECT_EQ(hop.bytes, 2 * (4096 + 8192) / 4 * 1 * 128 * 2);
}

// Keys and values travel in the dtype of the cache.
TEST(LoweredPrefill, HopsInTheDtypeOfTheCache) {
  StepSpec spec = inference_spec(textbook(1, 512, 8), Layout{.cp = 2}, WorkloadKind::prefill, 1, 1024);
  const double full = bytes_of(comms_of(lower(spec), 0, Axis::cp, CommKind::ring_hop));
  spec.workload.precision.kv_cache = Dtype::fp8;
  EXPECT_EQ(bytes_of(comms_of(lower(spec), 0, Axis::cp, CommKind::ring_hop)), full / 2);
}

// Logits are needed for the last position of each sequence only.
TEST(LoweredPrefill, LogitsOfTheLastPositions) {
  const StepGraph graph = lower(inference_spec(llama_8b(), Layout{.tp = 4, .dp = 2}, WorkloadKind::prefill, 8, 2048));
  EXPECT_EQ(std::get<Gemm>(kernels_named(graph, 0, "logits").at(0).work).m, 4);
  EXPECT_EQ(std::get<Gemm>(kernels_named(graph, 0, "qkv").at(0).work).m, 4 * 2048);
}

// MLA widens the latents of new and cached tokens before attention: kv_up has T + Pc rows.
TEST(LoweredPrefill, MlaWidensTheCache) {
  StepSpec spec = inference_spec(deepseek_v3(), Layout{.dp = 4, .ep = 4}, WorkloadKind::prefill, 4, 1024);
  spec.workload.cached_len = 512;
  EXPECT_EQ(std::get<Gemm>(kernels_named(lower(spec), 0, "kv_up").at(0).work).m, 1024 + 512);
}

// Around a ring go latents of 512 + 64 columns, and each rank widens those of every step: 4 x 1/4 of T + Pc.
TEST(LoweredPrefill, MlaPassesLatents) {
  StepSpec spec = inference_spec(deepseek_v3(), Layout{.cp = 4, .ep = 4}, WorkloadKind::prefill, 1, 1024);
  spec.workload.cached_len = 512;
  const StepGraph graph = lower(spec);
  for (const Comm& hop : comms_of(graph, 0, Axis::cp, CommKind::ring_hop)) EXPECT_EQ(hop.bytes, 384 * 576 * 2);
  const auto widened = kernels_named(graph, 0, "kv_up");
  ASSERT_EQ(widened.size(), 61U * 4);
  EXPECT_EQ(std::get<Gemm>(widened[0].work).m, 384);
}

// In training each rank widens its own tokens once and passes keys of 128 + 64 and values of 128 columns a head.
TEST(LoweredTraining, MlaPassesKeysAndValues) {
  const StepGraph graph = lower(training_spec(deepseek_v3(), Layout{.tp = 2, .cp = 4, .ep = 8}, 1, 1024));
  for (const Comm& hop : comms_of(graph, 0, Axis::cp, CommKind::ring_hop)) EXPECT_EQ(hop.bytes, 256 * 64 * 320 * 2);
  EXPECT_EQ(kernels_named(graph, 0, "kv_up").size(), 61U);
}

// A pipeline passes the tokens of a replica on once: sum of stages.
TEST(LoweredPrefill, PipelineHandsOverOnce) {
  const StepGraph graph = lower(inference_spec(textbook(8, 512, 8), Layout{.pp = 4}, WorkloadKind::prefill, 2, 256));
  EXPECT_EQ(graph.microbatches, 1);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const auto sends = comms_of(graph, rank, Axis::pp, CommKind::send);
    ASSERT_EQ(sends.size(), rank < 3 ? 1U : 0U);
    for (const Comm& send : sends) EXPECT_EQ(send.bytes, 2 * 256 * 512 * 2);
  }
}

TEST(LoweredInference, OnlyForwardPasses) {
  for (const WorkloadKind kind : {WorkloadKind::prefill, WorkloadKind::decode}) {
    const StepGraph graph = lower(inference_spec(llama_8b(), Layout{.tp = 2, .dp = 2}, kind, 4, 256));
    EXPECT_TRUE(graph.graph_replay);
    for (const Op& op : program_of(graph, 0).ops) EXPECT_EQ(op.pass, PassKind::forward);
    EXPECT_TRUE(comms_of(graph, 0, Axis::dp, CommKind::all_reduce).empty());
  }
}

// `recompute: auto` says what it became.
TEST(LoweredTraining, AutoRecomputeIsNamed) {
  StepSpec spec = training_spec(textbook(4, 512, 8), Layout{}, 1);
  spec.workload.recompute = Recompute::auto_;
  EXPECT_EQ(lower(spec).recompute_used, "none");
  spec.memory_capacity = Bytes(1);
  const StepGraph graph = lower(spec);
  EXPECT_EQ(graph.recompute_used, "full");
  EXPECT_FALSE(graph.graph_replay);
  EXPECT_EQ(kernels_named(graph, 0, "qkv").size(), 2U * 4);
}

}  // namespace
}  // namespace stepsim
