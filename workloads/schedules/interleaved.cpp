// Interleaved 1F1B (Narayanan 2021, arXiv 2104.04473, section 2.2.2): rank r holds the stages r, r + p, r + 2p, ...
// Microbatches go in groups of p: a group passes chunk 0, then chunk 1, ..., then the next group starts; backward takes
// the chunks in reverse. Warm-up of rank r: 2 (p - r - 1) + (v - 1) p passes.
#include <algorithm>

#include <fmt/format.h>

#include "workloads/schedules/make.h"

namespace stepsim {

namespace {

/// The step-th pass of one kind on a rank.
Action pass(const ScheduleSize& size, ActionKind kind, int rank, int step) {
  const int p = size.pipeline_ranks, v = size.virtual_stages;
  const int group = step / (p * v), in_group = step % (p * v);
  const int turn = in_group / p;
  const int chunk = kind == ActionKind::forward ? turn : v - 1 - turn;
  return {.kind = kind, .stage = chunk * p + rank, .chunk = chunk, .microbatch = group * p + in_group % p};
}

}  // namespace

std::string interleaved_problem(const ScheduleSize& size) {
  const int p = size.pipeline_ranks, m = size.microbatches;
  if (size.virtual_stages == 1 || m % p == 0) return "";
  const int below = m / p * p;
  const std::string near = below > 0 ? fmt::format("{} or {}", below, below + p) : fmt::format("{}", below + p);
  return fmt::format(
      "interleaved_1f1b needs the number of microbatches to be a multiple of pp {}: {} is none; {} would be", p, m,
      near);
}

PipelineSchedule make_interleaved(const ScheduleSize& size) {
  if (size.virtual_stages == 1) return make_one_f_one_b(size);
  PipelineSchedule schedule = one_way_schedule(size);
  const int passes = size.microbatches * size.virtual_stages;
  for (int rank = 0; rank < size.pipeline_ranks; ++rank) {
    std::vector<Action>& actions = schedule.ranks[static_cast<std::size_t>(rank)];
    const int fill = 2 * (size.pipeline_ranks - rank - 1) + (size.virtual_stages - 1) * size.pipeline_ranks;
    const int warmup = std::min(passes, fill);
    for (int step = 0; step < passes + warmup; ++step) {
      if (step < passes) actions.push_back(pass(size, ActionKind::forward, rank, step));
      if (step >= warmup) actions.push_back(pass(size, ActionKind::backward, rank, step - warmup));
    }
  }
  return schedule;
}

}  // namespace stepsim
