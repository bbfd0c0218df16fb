#pragma once
// Schedules whose forward and backward passes run in pairs, so that each hides the other's expert dispatch and combine.

#include "workloads/schedules/schedule.h"

namespace stepsim {

/// 1F1B alternates F, B; here each backward runs beside the forward that followed it, so that one more microbatch is in
/// flight, as Megatron-LM's --overlap-moe-expert-parallel-comm does. The pair of rank r needs only earlier pairs of the
/// ranks before it and the same pair of the ranks after it, so it can't deadlock where the schedule itself can't.
/// Schedules that come with pairs (dualpipe) and those that never alternate (gpipe) stay as they are.
PipelineSchedule with_paired_passes(PipelineSchedule schedule);

}  // namespace stepsim
