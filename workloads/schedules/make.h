#pragma once
// The schedules that schedules.cpp lists, one file each.

#include "workloads/schedules/schedule.h"

namespace stepsim {

std::string gpipe_problem(const ScheduleSize& size);
PipelineSchedule make_gpipe(const ScheduleSize& size);

std::string one_f_one_b_problem(const ScheduleSize& size);
PipelineSchedule make_one_f_one_b(const ScheduleSize& size);

std::string interleaved_problem(const ScheduleSize& size);
PipelineSchedule make_interleaved(const ScheduleSize& size);

std::string dualpipe_problem(const ScheduleSize& size);
PipelineSchedule make_dualpipe(const ScheduleSize& size);

/// All microbatches enter at rank 0, and stage s is chunk s / p of rank s % p.
PipelineSchedule one_way_schedule(const ScheduleSize& size);

}  // namespace stepsim
