#include "sim/engine/comm_time.h"

#include <algorithm>
#include <vector>

namespace stepsim {
namespace {

struct Interval {
  SimTime from, to;
};

/// Sorted, disjoint intervals that cover the same instants.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](auto& a, auto& b) { return a.from < b.from; });
  std::vector<Interval> out;
  for (const Interval& i : intervals) {
    if (out.empty() || i.from > out.back().to) {
      out.push_back(i);
    } else {
      out.back().to = std::max(out.back().to, i.to);
    }
  }
  return out;
}

SimTime measure(const std::vector<Interval>& intervals) {
  SimTime sum;
  for (const Interval& i : intervals) sum += i.to - i.from;
  return sum;
}

/// Measure of the instants that both hold; both sorted and disjoint.
SimTime common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  SimTime sum;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const SimTime from = std::max(a[i].from, b[j].from);
    const SimTime to = std::min(a[i].to, b[j].to);
    if (from < to) sum += to - from;
    (a[i].to < b[j].to ? i : j) += 1;
  }
  return sum;
}

}  // namespace

CommTime comm_time(const StepGraph& graph, const Actor& actor) {
  std::vector<Interval> kernels;
  std::array<std::vector<Interval>, kAxes> comms;
  const auto& ops = graph.programs[actor.program].ops;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    const OpTimes& times = actor.times[op];
    if (times.moved == times.ended) continue;
    if (ops[op].kind == OpKind::compute) {
      kernels.push_back({times.posted, times.ended});
    } else {
      comms[static_cast<std::size_t>(graph.comms[CommId(ops[op].what)].axis)].push_back({times.moved, times.ended});
    }
  }
  CommTime time;
  kernels = merged(std::move(kernels));
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const auto moving = merged(std::move(comms[axis]));
    time.moving[axis] = measure(moving);
    time.hidden[axis] = common(moving, kernels);
  }
  return time;
}

}  // namespace stepsim
