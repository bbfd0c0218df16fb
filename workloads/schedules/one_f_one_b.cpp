// 1F1B (PipeDream-Flush, arXiv 2006.09503; Narayanan 2021, arXiv 2104.04473, section 2.2.1): rank r runs p - r - 1
// forwards to fill the pipe, then one forward and one backward in turn, then drains.
#include <algorithm>

#include "workloads/schedules/make.h"

namespace stepsim {

std::string one_f_one_b_problem(const ScheduleSize& size) {
  if (size.virtual_stages > 1)
    return "1f1b has one stage a rank: virtual_stages must be 1, or the schedule interleaved_1f1b";
  return "";
}

PipelineSchedule make_one_f_one_b(const ScheduleSize& size) {
  PipelineSchedule schedule = one_way_schedule(size);
  const int m = size.microbatches;
  for (int rank = 0; rank < size.pipeline_ranks; ++rank) {
    std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const int warmup = std::min(m, size.pipeline_ranks - rank - 1);
    for (int step = 0; step < m + warmup; ++step) {
      if (step < m) actions.push_back({.kind = ActionKind::forward, .stage = rank, .microbatch = step});
      if (step >= warmup) actions.push_back({.kind = ActionKind::backward, .stage = rank, .microbatch = step - warmup});
    }
  }
  return schedule;
}

}  // namespace stepsim
