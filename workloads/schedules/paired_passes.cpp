#include "workloads/schedules/paired_passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stepsim {

namespace {

using Actions = std::vector<Action>;

bool is_forward(const Action& action) { return action.kind == ActionKind::forward; }

/// Forward passes before the first backward.
std::size_t warmup_of(const Actions& actions) {
  return static_cast<std::size_t>(std::find_if_not(actions.begin(), actions.end(), is_forward) - actions.begin());
}

Actions paired(const Actions& actions) {
  Actions forward, backward;
  for (const Action& action : actions) (is_forward(action) ? forward : backward).push_back(action);
  const std::size_t ahead = warmup_of(actions);
  Actions out(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
  for (std::size_t i = 0; i < backward.size(); ++i) {
    const bool pair = ahead + i < forward.size();
    if (pair) out.push_back(forward[ahead + i]);
    out.push_back(backward[i]);
    out.back().pair_with_previous = pair;
  }
  return out;
}

bool has_pairs(const PipelineSchedule& schedule) {
  const auto in_pair = [](const Action& action) { return action.pair_with_previous; };
  return std::any_of(schedule.ranks.begin(), schedule.ranks.end(),
                     [&](const Actions& actions) { return std::any_of(actions.begin(), actions.end(), in_pair); });
}

}  // namespace

PipelineSchedule with_paired_passes(PipelineSchedule schedule) {
  if (has_pairs(schedule)) return schedule;
  for (Actions& actions : schedule.ranks) actions = paired(actions);
  return schedule;
}

}  // namespace stepsim
