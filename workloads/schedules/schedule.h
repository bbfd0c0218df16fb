#pragma once
// The order in which a pipeline rank runs its passes.

#include <string>
#include <vector>

#include "workloads/workload.h"

namespace stepsim {

enum class ActionKind { forward, backward };

/// One pass of one microbatch through one virtual stage. `stage` counts 0 … stages-1 in the direction of the forward
/// pass; `chunk` is the local number of the virtual stage on its rank.
struct Action {
  ActionKind kind = ActionKind::forward;
  int stage = 0;
  int chunk = 0;
  int microbatch = 0;
  bool pair_with_previous = false;  ///< runs interleaved with the action before it (DualPipe's forward & backward)
};

/// What every rank does, and which rank holds which stage.
struct PipelineSchedule {
  int stages = 1;                          ///< virtual stages that one microbatch passes
  std::vector<std::vector<Action>> ranks;  ///< by pipeline rank, in execution order
  /// Rank that holds `stage` for `microbatch` (dualpipe runs half of the microbatches in each direction).
  std::vector<std::vector<int>> rank_of;  ///< [direction][stage]
  std::vector<int> direction_of;          ///< by microbatch: 0, or 1 where it enters at the last rank
};

struct ScheduleSize {
  int pipeline_ranks = 1, virtual_stages = 1, microbatches = 1;
};

/// A row of the table of schedules: what `stepsim list` and error messages show.
struct ScheduleInfo {
  std::string name;
  std::string help;
  /// "" if it can be played with this size, else what is wrong and what would be right.
  std::string (*problem)(const ScheduleSize&);
  PipelineSchedule (*make)(const ScheduleSize&);
};

/// gpipe, 1f1b, interleaved_1f1b, dualpipe.
const std::vector<ScheduleInfo>& schedules();
/// Names that design.md promises and a later version brings (zb_h1, …): they are refused as not built, exit status 2.
const std::vector<std::string>& future_schedules();
const ScheduleInfo* find_schedule(const std::string& name);

}  // namespace stepsim
