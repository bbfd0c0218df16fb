#pragma once
// A training step of one class of ranks: the schedule's passes, gradient synchronisation, optimizer.

#include "workloads/lowering/pass_context.h"
#include "workloads/stage_parameters.h"

namespace stepsim {

/// `recompute` is none, selective or full.
Program training_program(const StepSpec& spec, const StagePlan& plan, const RankClass& who, Recompute recompute,
                         WorkTables& tables);

}  // namespace stepsim
