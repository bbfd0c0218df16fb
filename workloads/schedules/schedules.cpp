#include "workloads/schedules/make.h"

namespace stepsim {

const std::vector<ScheduleInfo>& schedules() {
  static const std::vector<ScheduleInfo> kSchedules{
      {"gpipe", "all forwards, then all backwards", gpipe_problem, make_gpipe},
      {"1f1b", "one forward, one backward: at most p microbatches in flight", one_f_one_b_problem, make_one_f_one_b},
      {"interleaved_1f1b", "1f1b over several virtual stages a rank: a smaller bubble for more messages",
       interleaved_problem, make_interleaved},
      {"dualpipe", "microbatches enter at both ends; forward and backward chunks run paired (DeepSeek-V3)",
       dualpipe_problem, make_dualpipe},
  };
  return kSchedules;
}

const std::vector<std::string>& future_schedules() {
  static const std::vector<std::string> kNames{"zb_h1", "zb_h2", "zb_v", "v_half", "v_min", "dualpipe_v"};
  return kNames;
}

const ScheduleInfo* find_schedule(const std::string& name) {
  for (const ScheduleInfo& info : schedules()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

PipelineSchedule one_way_schedule(const ScheduleSize& size) {
  PipelineSchedule schedule;
  schedule.stages = size.pipeline_ranks * size.virtual_stages;
  schedule.ranks.resize(static_cast<std::size_t>(size.pipeline_ranks));
  schedule.rank_of.resize(1);
  for (int stage = 0; stage < schedule.stages; ++stage) schedule.rank_of[0].push_back(stage % size.pipeline_ranks);
  schedule.direction_of.assign(static_cast<std::size_t>(size.microbatches), 0);
  return schedule;
}

}  // namespace stepsim
