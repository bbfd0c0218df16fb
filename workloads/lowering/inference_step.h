#pragma once
// A prefill or decode step of one class of ranks: one forward pass of every sequence of a replica.

#include "workloads/lowering/pass_context.h"
#include "workloads/stage_parameters.h"

namespace stepsim {

Program inference_program(const StepSpec& spec, const StagePlan& plan, const RankClass& who, WorkTables& tables);

}  // namespace stepsim
