#include "workloads/memory.h"

#include <algorithm>

#include "sim/base/error.h"
#include "workloads/activation_memory.h"
#include "workloads/parameters.h"
#include "workloads/stage_parameters.h"

namespace stepsim {

namespace {

double bytes(Dtype dtype) { return bytes_per_element(dtype).value(); }

bool training(const StepSpec& spec) { return spec.workload.kind == WorkloadKind::training; }

/// Ranks that share one copy of a state from the given ZeRO stage on: dense parameters over dp x cp, experts over the
/// ranks that hold the same ones.
struct Shards {
  double dense = 1, experts = 1;
};
Shards shards_from(const StepSpec& spec, int zero_stage) {
  if (!training(spec) || spec.workload.zero_stage < zero_stage) return {};
  const Layout& layout = spec.layout;
  const double stage_ranks = static_cast<double>(layout.tp) * layout.cp * layout.dp;
  return {.dense = static_cast<double>(layout.dp) * layout.cp, .experts = stage_ranks / (layout.ep * layout.etp)};
}

double sharded(const StageParameters& count, const Shards& shards) {
  return count.dense() / shards.dense + count.experts / shards.experts;
}

/// Training keeps weights in the 16 (or 32) bits of the activations, and beside them the copy that 8-bit linear layers
/// multiply by, cast once a step. Inference keeps what it multiplies by; embedding and output projection in 16 bits.
double weight_bytes(const StepSpec& spec, Dtype linear) {
  const double stored = bytes(spec.workload.precision.activations), multiplied = bytes(linear);
  if (!training(spec)) return multiplied;
  return multiplied < stored ? stored + multiplied : stored;
}

double weights(const StepSpec& spec, const StageParameters& count) {
  const Precision& precision = spec.workload.precision;
  const Shards shards = shards_from(spec, 3);
  const double dense = count.attention * weight_bytes(spec, precision.gemm) +
                       count.ffn * weight_bytes(spec, precision.ffn) + count.ends * bytes(precision.activations);
  return dense / shards.dense + count.experts * weight_bytes(spec, precision.ffn) / shards.experts;
}

double gradient_bytes(const StepSpec& spec) {
  return bytes(spec.workload.gradient_dtype.value_or(spec.stack.gradient_dtype));
}

/// Adam (arXiv 1412.6980) in mixed precision: fp32 master weight and two fp32 moments; fp32 weights are their own
/// master.
double optimizer_bytes(const StepSpec& spec) {
  if (spec.workload.optimizer == Optimizer::none) return 0;
  return bytes(spec.workload.precision.activations) < 4 ? 4 + 8 : 8;
}

/// What is whole for a moment although it is sharded: a bucket of gradients (ZeRO 2, 3), and the gathered weights of a
/// layer while the next one's arrive (ZeRO 3).
double buffers(const StepSpec& spec, const StageParameters& count) {
  if (spec.workload.zero_stage < 2) return 0;
  const double all_gradients = gradient_bytes(spec) * (count.dense() + count.experts);
  const double bucket = std::min(spec.stack.gradient_bucket.value(), all_gradients);
  if (spec.workload.zero_stage < 3) return bucket;
  const double layer = count.largest_layer_dense + count.largest_layer_experts;
  return bucket + 2 * layer * bytes(spec.workload.precision.activations);
}

/// Bytes that each virtual stage keeps for one microbatch.
std::vector<double> kept_by_stage(const StepSpec& spec, const StagePlan& plan) {
  const ActivationMemory memory(spec);
  std::vector<double> kept(plan.layers.size());
  for (std::size_t s = 0; s < kept.size(); ++s) {
    for (int i = 0; i < plan.layers[s]; ++i) {
      kept[s] += memory.layer(plan.first_layer[s] + i, spec.workload.recompute).value();
    }
  }
  kept.front() += memory.embedding().value();
  kept.back() += memory.head().value();
  return kept;
}

/// The most that is held while the rank's passes run in order: a forward adds what its stage keeps, its backward frees
/// it. No closed form for each schedule is needed.
double peak_of_passes(const std::vector<Action>& actions, const std::vector<double>& kept) {
  double held = 0, peak = 0;
  for (const Action& action : actions) {
    const double stage = kept[static_cast<std::size_t>(action.stage)];
    held += action.kind == ActionKind::forward ? stage : -stage;
    peak = std::max(peak, held);
  }
  return peak;
}

template <class OfLayer>
double largest_on_rank(const StagePlan& plan, int rank, OfLayer of_layer) {
  double largest = 0;
  for (int stage : plan.stages_of_rank[static_cast<std::size_t>(rank)]) {
    const auto s = static_cast<std::size_t>(stage);
    for (int i = 0; i < plan.layers[s]; ++i) largest = std::max(largest, of_layer(plan.first_layer[s] + i).value());
  }
  return largest;
}

/// Kept tensors, and with recompute those of the one layer that is being computed again.
double training_activations(const StepSpec& spec, const StagePlan& plan, int rank) {
  const ActivationMemory memory(spec);
  const double again = largest_on_rank(plan, rank, [&](int layer) {
    return memory.layer(layer, Recompute::none) - memory.layer(layer, spec.workload.recompute);
  });
  return peak_of_passes(plan.schedule.ranks[static_cast<std::size_t>(rank)], kept_by_stage(spec, plan)) + again;
}

double inference_activations(const StepSpec& spec, const StagePlan& plan, int rank) {
  const ActivationMemory memory(spec);
  const double layer = largest_on_rank(plan, rank, [&](int index) { return memory.working_set(index); });
  return layer + (rank == spec.layout.pp - 1 ? memory.head().value() : 0);
}

/// kappa of physics.md, for one layer: 2 ceil(kv_heads / tp) head_dim b_k, or with MLA (kv_rank + rope_dim) b_k.
double kv_bytes_of_token_and_layer(const StepSpec& spec) {
  const ModelSpec& model = spec.model;
  const double element = bytes(spec.workload.precision.kv_cache);
  if (model.has_mla()) return (model.mla.kv_rank + model.mla.rope_dim) * element;
  return 2.0 * kv_heads_of_rank(model, spec.layout.tp) * model.head_dim * element;
}

double kv_cache(const StepSpec& spec, const StagePlan& plan, int rank) {
  const Workload& work = spec.workload;
  const double tokens =
      work.kind == WorkloadKind::decode ? work.context_len : static_cast<double>(work.seq_len) + work.cached_len;
  double layers = 0;
  for (int stage : plan.stages_of_rank[static_cast<std::size_t>(rank)])
    layers += plan.layers[static_cast<std::size_t>(stage)];
  return sequences_of_pass(spec) * tokens / spec.layout.cp * layers * kv_bytes_of_token_and_layer(spec);
}

MemoryUse memory_of_rank(const StepSpec& spec, const StagePlan& plan, int rank) {
  const StageParameters count = stage_parameters(spec, plan, rank);
  MemoryUse use;
  use.weights = Bytes(weights(spec, count));
  if (!training(spec)) {
    use.activations = Bytes(inference_activations(spec, plan, rank));
    use.kv_cache = Bytes(kv_cache(spec, plan, rank));
    return use;
  }
  use.gradients = Bytes(gradient_bytes(spec) * sharded(count, shards_from(spec, 2)));
  use.optimizer = Bytes(optimizer_bytes(spec) * sharded(count, shards_from(spec, 1)));
  use.activations = Bytes(training_activations(spec, plan, rank));
  use.buffers = Bytes(buffers(spec, count));
  return use;
}

bool fits(const StepSpec& spec) {
  const std::vector<MemoryUse> stages = memory_by_stage(spec);
  return std::all_of(stages.begin(), stages.end(),
                     [&](const MemoryUse& use) { return use.total() <= spec.memory_capacity; });
}

}  // namespace

std::vector<MemoryUse> memory_by_stage(const StepSpec& spec) {
  sim_assert(spec.workload.recompute != Recompute::auto_, "memory of a step whose `recompute: auto` is not chosen yet");
  const StagePlan plan = plan_stages(spec);
  std::vector<MemoryUse> result;
  for (int rank = 0; rank < spec.layout.pp; ++rank) result.push_back(memory_of_rank(spec, plan, rank));
  return result;
}

Recompute least_recompute_that_fits(const StepSpec& spec) {
  StepSpec tried = spec;
  for (Recompute recompute : {Recompute::none, Recompute::selective}) {
    tried.workload.recompute = recompute;
    if (fits(tried)) return recompute;
  }
  return Recompute::full;
}

}  // namespace stepsim
