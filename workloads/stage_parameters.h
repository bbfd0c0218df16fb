#pragma once
// Parameters that one rank of a pipeline stage holds.

#include "sim/base/units.h"
#include "workloads/lower.h"
#include "workloads/schedules/schedule.h"

namespace stepsim {

/// Counts on one rank, by what they are stored in and sharded over. Fractions of a parameter don't occur: the layout
/// rules make all of it divide.
struct StageParameters {
  double attention = 0;  ///< attention and its norms
  double ffn = 0;        ///< dense FFN; router, shared experts and norm of MoE layers
  double experts = 0;    ///< routed experts
  double ends = 0;       ///< embedding, positions, last norm, output projection
  double largest_layer_dense = 0, largest_layer_experts = 0;

  [[nodiscard]] double dense() const { return attention + ffn + ends; }
};

/// Virtual stages on each pipeline rank, and the layers of each.
struct StagePlan {
  PipelineSchedule schedule;     ///< inference: one pass through the stages
  std::vector<int> layers;       ///< by virtual stage
  std::vector<int> first_layer;  ///< by virtual stage
  std::vector<std::vector<int>> stages_of_rank;
};
StagePlan plan_stages(const StepSpec& spec);

StageParameters stage_parameters(const StepSpec& spec, const StagePlan& plan, int pipeline_rank);

}  // namespace stepsim
