// Where a step's time went.
//
// The rule (design.md section 4). For each idle interval of a rank's compute stream, walk back from the start of the
// next kernel through the precondition that ended last (ties: tp, cp, ep, dp, pp, host, then the order of the program)
// to the end of the previous kernel. Each instant goes to what that chain was doing: a communication that could move is
// exposed on its axis; a collective or hop whose peer had not come is peer_wait; a receive whose message was not yet
// produced is bubble; waiting for the host is host. After the last op of all streams the rest of the step is bubble.
// Every idle instant is met once, so the parts sum to the step exactly.

#include "sim/engine/accounting.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/base/error.h"

namespace stepsim {

SimTime Parts::total() const {
  SimTime sum = compute + bubble + peer_wait + host;
  for (const SimTime axis : exposed) sum += axis;
  return sum;
}

namespace {

constexpr int kHostTie = kAxes;         // after every axis
constexpr int kComputeTie = kAxes + 1;  // after the host: a kernel that ends with something else ends the walk anyway

/// What held an op back longest.
struct Binding {
  SimTime ended;
  int tie = kComputeTie;
  std::uint32_t op = 0;  ///< unused when the host is it
  bool none = true;
};

class Walk {
 public:
  Walk(const StepGraph& graph, const Timeline& timeline, const Actor& actor)
      : graph_(graph), program_(graph.programs[actor.program]), actor_(actor), issued_(timeline.issued[actor.program]) {
    find_predecessors();
  }

  Parts run(SimTime end) {
    SimTime busy_until;
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      if (program_.ops[op].kind != OpKind::compute) continue;
      const OpTimes& times = actor_.times[op];
      if (times.posted > busy_until) walk_back(binding_of(op), times.posted, busy_until);
      parts_.compute += times.ended - times.posted;
      busy_until = std::max(busy_until, times.ended);
    }
    const Binding last = last_of_all();
    if (last.ended > busy_until) walk_back(last, last.ended, busy_until);
    parts_.bubble += end - std::max(last.ended, busy_until);
    return parts_;
  }

 private:
  void find_predecessors() {
    std::array<std::int64_t, kStreams> last{};
    last.fill(-1);
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      auto& on_stream = last[static_cast<std::size_t>(program_.ops[op].stream)];
      predecessor_.push_back(on_stream);
      on_stream = op;
    }
  }

  /// Hands the idle time before `until` and after `from` to the chain that starts with `binding`.
  void walk_back(Binding binding, SimTime until, SimTime from) {
    while (!binding.none && until > from) {
      if (binding.tie == kHostTie) {
        parts_.host += until - from;
        return;
      }
      const Op& op = program_.ops[binding.op];
      if (op.kind == OpKind::compute && actor_.times[binding.op].posted < actor_.times[binding.op].ended) break;
      book(op, actor_.times[binding.op], until, from);
      until = std::min(until, actor_.times[binding.op].posted);
      binding = binding_of(binding.op);
    }
    sim_assert(until <= from, "accounting: an op started without a reason; report this scenario");
  }

  void book(const Op& op, const OpTimes& times, SimTime until, SimTime from) {
    if (op.kind == OpKind::compute) return;  // took no time
    const SimTime moved = std::clamp(times.moved, from, until);
    parts_.exposed[axis_of(op)] += until - moved;
    const SimTime posted = std::clamp(times.posted, from, moved);
    (op.kind == OpKind::recv ? parts_.bubble : parts_.peer_wait) += moved - posted;
  }

  [[nodiscard]] std::size_t axis_of(const Op& op) const {
    return static_cast<std::size_t>(graph_.comms[CommId(op.what)].axis);
  }

  [[nodiscard]] int tie_of(std::uint32_t op) const {
    const Op& o = program_.ops[op];
    return o.kind == OpKind::compute ? kComputeTie : static_cast<int>(axis_of(o));
  }

  [[nodiscard]] Binding binding_of(std::uint32_t op) const {
    Binding binding;
    if (predecessor_[op] >= 0) consider(static_cast<std::uint32_t>(predecessor_[op]), binding);
    for (const std::uint32_t dep : program_.deps.row(op)) consider(dep, binding);
    if (!issued_.empty()) consider_host(issued_[op], binding);
    return binding;
  }

  void consider(std::uint32_t op, Binding& binding) const {
    const SimTime ended = actor_.times[op].ended;
    const int tie = tie_of(op);
    const bool later = binding.none || ended > binding.ended;
    const bool first_of_tie = ended == binding.ended && (tie < binding.tie || (tie == binding.tie && op < binding.op));
    if (later || first_of_tie) binding = {ended, tie, op, false};
  }

  static void consider_host(SimTime issued, Binding& binding) {
    const bool later = binding.none || issued > binding.ended;
    if (later || (issued == binding.ended && kHostTie < binding.tie)) binding = {issued, kHostTie, 0, false};
  }

  /// The op that ended last of all.
  [[nodiscard]] Binding last_of_all() const {
    Binding binding;
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) consider(op, binding);
    return binding;
  }

  const StepGraph& graph_;
  const Program& program_;
  const Actor& actor_;
  const std::vector<SimTime>& issued_;
  std::vector<std::int64_t> predecessor_;
  Parts parts_;
};

}  // namespace

Parts account_actor(const StepGraph& graph, const Timeline& timeline, const Actor& actor) {
  return Walk(graph, timeline, actor).run(timeline.end);
}

}  // namespace stepsim
