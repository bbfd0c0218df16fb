#include "workloads/stage_parameters.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"
#include "workloads/layout_rules.h"
#include "workloads/parameters.h"
#include "workloads/schedules/paired_passes.h"

namespace stepsim {

namespace {

PipelineSchedule schedule_of(const StepSpec& spec) {
  const Layout& layout = spec.layout;
  if (spec.workload.kind != WorkloadKind::training) {
    return find_schedule("gpipe")->make({.pipeline_ranks = layout.pp});
  }
  const ScheduleInfo* info = find_schedule(spec.workload.schedule);
  sim_assert(info != nullptr, "memory of a step with an unknown schedule: the scenario reader must refuse it");
  const int microbatches = spec.workload.global_batch / (layout.dp * spec.workload.micro_batch);
  PipelineSchedule schedule =
      info->make({.pipeline_ranks = layout.pp, .virtual_stages = layout.virtual_stages, .microbatches = microbatches});
  const bool pairs = spec.overlap.ep && layout.ep > 1 && spec.model.has_moe();
  return pairs ? with_paired_passes(std::move(schedule)) : schedule;
}

double experts_of_rank(const StepSpec& spec) {
  const double copies = spec.model.moe.experts + spec.workload.redundant_experts;
  const auto one = static_cast<double>(ffn_parameters(spec.model, spec.model.moe.ffn, spec.layout.etp));
  return copies / spec.layout.ep * one;
}

void add_layer(const StepSpec& spec, int layer, StageParameters& sum) {
  const ModelSpec& model = spec.model;
  const bool moe = model.is_moe_layer(layer);
  const std::int64_t attention = attention_parameters(model, spec.layout.tp);
  const std::int64_t ffn = moe ? moe_shared_parameters(model, spec.layout.tp)
                               : ffn_parameters(model, model.ffn, spec.layout.tp) + norm_parameters(model);
  const double experts = moe ? experts_of_rank(spec) : 0;
  sum.attention += static_cast<double>(attention);
  sum.ffn += static_cast<double>(ffn);
  sum.experts += experts;
  sum.largest_layer_dense = std::max(sum.largest_layer_dense, static_cast<double>(attention + ffn));
  sum.largest_layer_experts = std::max(sum.largest_layer_experts, experts);
}

/// Positions are replicated over TP. Tied embeddings have a copy on the last stage where that is another rank.
double end_parameters(const StepSpec& spec, bool first, bool last) {
  const ModelSpec& model = spec.model;
  if (model.vocab == 0) return 0;
  const double matrix = static_cast<double>(model.vocab) * model.hidden / spec.layout.tp;
  double sum = 0;
  if (first) sum += matrix;
  if (first && model.positions == PositionKind::learned) sum += static_cast<double>(model.max_positions) * model.hidden;
  if (last) sum += static_cast<double>(norm_parameters(model));
  if (last && !(model.tied_embeddings && first)) sum += matrix;
  return sum;
}

}  // namespace

StagePlan plan_stages(const StepSpec& spec) {
  StagePlan plan{.schedule = schedule_of(spec),
                 .layers = layers_of_stages(spec.model, spec.layout),
                 .first_layer = {},
                 .stages_of_rank = {}};
  int next = 0;
  for (int count : plan.layers) {
    plan.first_layer.push_back(next);
    next += count;
  }
  plan.stages_of_rank.resize(static_cast<std::size_t>(spec.layout.pp));
  for (const std::vector<int>& rank_of : plan.schedule.rank_of) {
    for (std::size_t stage = 0; stage < rank_of.size(); ++stage) {
      plan.stages_of_rank[static_cast<std::size_t>(rank_of[stage])].push_back(static_cast<int>(stage));
    }
  }
  return plan;
}

StageParameters stage_parameters(const StepSpec& spec, const StagePlan& plan, int pipeline_rank) {
  StageParameters sum;
  bool first = false, last = false;
  for (int stage : plan.stages_of_rank[static_cast<std::size_t>(pipeline_rank)]) {
    const auto s = static_cast<std::size_t>(stage);
    for (int i = 0; i < plan.layers[s]; ++i) add_layer(spec, plan.first_layer[s] + i, sum);
    first = first || stage == 0;
    last = last || stage == plan.schedule.stages - 1;
  }
  sum.ends = end_parameters(spec, first, last);
  return sum;
}

}  // namespace stepsim
