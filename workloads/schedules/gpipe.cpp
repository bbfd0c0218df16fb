// GPipe (arXiv 1811.06965, section 2.3): every microbatch forward, then every microbatch backward, last first, so that
// the last stage's freshest activations go first.
#include "workloads/schedules/make.h"

namespace stepsim {

std::string gpipe_problem(const ScheduleSize& size) {
  if (size.virtual_stages > 1)
    return "gpipe has one stage a rank: virtual_stages must be 1, or the schedule interleaved_1f1b";
  return "";
}

PipelineSchedule make_gpipe(const ScheduleSize& size) {
  PipelineSchedule schedule = one_way_schedule(size);
  for (int rank = 0; rank < size.pipeline_ranks; ++rank) {
    std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    for (int mb = 0; mb < size.microbatches; ++mb) {
      actions.push_back({.kind = ActionKind::forward, .stage = rank, .microbatch = mb});
    }
    for (int mb = size.microbatches - 1; mb >= 0; --mb) {
      actions.push_back({.kind = ActionKind::backward, .stage = rank, .microbatch = mb});
    }
  }
  return schedule;
}

}  // namespace stepsim
