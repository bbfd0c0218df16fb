// DualPipe in its basic form (DeepSeek-V3, arXiv 2412.19437, section 3.2.1 and figure 5): half of the microbatches
// enter at rank 0, half at rank p - 1, and a forward of one direction runs paired with a backward of the other.
// Backward is not split into input and weight part here, so the rank idles (p/2 - 1)(F&B + B) instead of the report's
// (p/2 - 1)(F&B + B - 3W): the 3W are weight parts that fill holes.
#include <algorithm>

#include <fmt/format.h>

#include "workloads/schedules/make.h"

namespace stepsim {

namespace {

/// Writes the actions of one rank. "near" microbatches enter at the end of the pipe that is nearer to the rank.
class RankWriter {
 public:
  RankWriter(const ScheduleSize& size, int rank)
      : size_(size), rank_(rank), near_(2 * rank < size.pipeline_ranks ? 0 : 1) {}

  void forward_near() { add(ActionKind::forward, near_, false); }
  void forward_far() { add(ActionKind::forward, 1 - near_, false); }
  void backward_near(bool paired = false) { add(ActionKind::backward, near_, paired); }
  void backward_far(bool paired = false) { add(ActionKind::backward, 1 - near_, paired); }
  std::vector<Action> take() { return std::move(actions_); }

 private:
  void add(ActionKind kind, int direction, bool paired) {
    int& next = next_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(direction)];
    const int stage = direction == 0 ? rank_ : size_.pipeline_ranks - 1 - rank_;
    const int microbatch = direction * (size_.microbatches / 2) + next++;
    actions_.push_back(
        {.kind = kind, .stage = stage, .chunk = direction, .microbatch = microbatch, .pair_with_previous = paired});
  }

  ScheduleSize size_;
  int rank_, near_;
  int next_[2][2] = {};  ///< [kind][direction]: microbatches done so far
  std::vector<Action> actions_;
};

/// depth: ranks between this one and its nearer end; inner: ranks between it and the middle. A near forward reaches the
/// rank after `depth` passes, a far one after p - 1 - depth: 2 inner + 1 later, which near forwards fill.
std::vector<Action> rank_actions(const ScheduleSize& size, int rank) {
  const int p = size.pipeline_ranks;
  const int depth = std::min(rank, p - 1 - rank), inner = p / 2 - depth - 1;
  const int steady = size.microbatches / 2 - p + depth + 1;
  RankWriter write(size, rank);
  for (int i = 0; i < 2 * inner; ++i) write.forward_near();
  for (int i = 0; i < depth + 1; ++i) write.forward_near(), write.forward_far();
  for (int i = 0; i < inner; ++i) write.backward_far(), write.forward_far();
  for (int i = 0; i < steady; ++i) {
    write.forward_near(), write.backward_far(true);
    write.forward_far(), write.backward_near(true);
  }
  for (int i = 0; i < inner; ++i) write.backward_far(), write.forward_far(), write.backward_near(true);
  for (int i = 0; i < depth + 1; ++i) write.backward_far(), write.backward_near();
  for (int i = 0; i < inner; ++i) write.backward_near();
  return write.take();
}

}  // namespace

std::string dualpipe_problem(const ScheduleSize& size) {
  const int p = size.pipeline_ranks, m = size.microbatches;
  if (size.virtual_stages > 1) return "dualpipe sets its own two stages a rank: virtual_stages must be 1";
  if (p % 2 != 0) return fmt::format("dualpipe needs an even pp: {} or {} instead of {}", std::max(2, p - 1), p + 1, p);
  if (m >= 2 * p && m % 2 == 0) return "";
  return fmt::format("dualpipe needs an even number of microbatches, at least 2 pp = {}: {} is not; {} would be", 2 * p,
                     m, std::max(2 * p, m + 1));
}

PipelineSchedule make_dualpipe(const ScheduleSize& size) {
  PipelineSchedule schedule = one_way_schedule(size);
  schedule.rank_of.push_back({schedule.rank_of[0].rbegin(), schedule.rank_of[0].rend()});
  std::fill(schedule.direction_of.begin() + size.microbatches / 2, schedule.direction_of.end(), 1);
  for (int rank = 0; rank < size.pipeline_ranks; ++rank) {
    schedule.ranks[static_cast<std::size_t>(rank)] = rank_actions(size, rank);
  }
  return schedule;
}

}  // namespace stepsim
