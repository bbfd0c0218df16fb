#include "sim/engine/simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sim/base/error.h"
#include "sim/engine/jitter.h"
#include "sim/engine/kernel_cost.h"
#include "sim/engine/traffic.h"

namespace stepsim {
namespace {

/// Communications never take more than this share of a chip from compute: 15/16.
constexpr std::int64_t kMostTaken = (1 << 16) - (1 << 12);

std::int64_t share_units(double share) { return std::llround(share * 65536.0); }

}  // namespace

Simulator::Simulator(const StepGraph& graph, const Machine& machine, const SimulationOptions& options,
                     const Perturbation& perturbation)
    : graph_(graph),
      machine_(machine),
      options_(options),
      perturbation_(perturbation),
      traffic_(find_traffic(graph, machine.fabric, options.all_reduce)),
      folding_(fold(graph, machine.fabric, traffic_, options, perturbation)),
      network_(folding_.link_capacity, options.max_min) {
  prepare();
}

/// Bit s: the program has ops on stream s.
std::uint16_t Simulator::open_streams(const ProgramTables& tables) {
  unsigned open = 0;
  for (std::size_t s = 0; s < kStreams; ++s) open |= (tables.by_stream[s].empty() ? 0U : 1U) << s;
  return static_cast<std::uint16_t>(open);
}

void Simulator::prepare() {
  for (const Kernel& kernel : graph_.kernels) {
    kernel_spans_.push_back(to_sim_time(kernel_time(kernel, machine_.accelerator)));
  }
  for (const Program& program : graph_.programs) {
    ProgramTables& tables = tables_.emplace_back();
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      tables.by_stream[static_cast<std::size_t>(program.ops[op].stream)].push_back(op);
    }
  }
  for (const ActorClass& from : folding_.actors) {
    Actor& actor = timeline_.actors.emplace_back();
    actor.program = from.program;
    actor.ranks = from.ranks;
    actor.times.resize(graph_.programs[from.program].ops.size());
  }
  for (const std::uint32_t actor : folding_.actor_of_rank) timeline_.actor_of_rank.push_back(ActorId(actor));
  states_.resize(folding_.actors.size());
  for (std::size_t a = 0; a < states_.size(); ++a)
    states_[a].open = open_streams(tables_[folding_.actors[a].program.index()]);
  meetings_.resize(folding_.bundles.size());
  hops_.resize(folding_.bundles.size());
  collective_share_ = share_units(machine_.accelerator.comm_sm_share);
  one_way_share_ = share_units(machine_.accelerator.p2p_sm_share / 2);
  make_channels();
  prepare_host();
}

/// The host issues ops in program order, each kernel `launch` after the one before; it never waits for the device.
void Simulator::prepare_host() {
  const bool replayed = graph_.graph_replay || machine_.accelerator.ideal;
  const bool host_matters =
      options_.host_launch == HostLaunch::always || (options_.host_launch == HostLaunch::auto_ && !replayed);
  const SimTime launch = to_sim_time(machine_.stack.launch);
  for (const Program& program : graph_.programs) {
    std::vector<SimTime> issued;
    SimTime at;
    for (const Op& op : program.ops) {
      if (!host_matters) break;
      const int launches = op.kind == OpKind::compute ? graph_.kernels[KernelId(op.what)].launches : 1;
      at += SimTime(launch.ps() * launches);
      issued.push_back(at);
    }
    timeline_.issued.push_back(std::move(issued));
  }
}

Timeline Simulator::run() {
  for (std::uint32_t actor = 0; actor < states_.size(); ++actor) advance(actor);
  settle();
  while (!queue_.empty()) {
    now_ = queue_.next_time();
    while (!queue_.empty() && queue_.next_time() == now_) handle(queue_.pop());
    settle();
  }
  check_finished();
  timeline_.events = queue_.pushed();
  return std::move(timeline_);
}

void Simulator::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::compute_ends:
      if (states_[event.subject].version == event.detail) end_compute(event.subject);
      break;
    case EventKind::transfer_joins:
      join_network(event.subject);
      break;
    case EventKind::transfer_ends:
      if (network_.is_current(event.subject, event.detail)) end_transfer(event.subject);
      break;
    case EventKind::host_issues:
      states_[event.subject].asked_host &= static_cast<std::uint16_t>(~(1U << event.detail));
      to_advance_.push_back(event.subject);
      break;
  }
  while (!to_advance_.empty()) {
    const std::uint32_t actor = to_advance_.back();
    to_advance_.pop_back();
    advance(actor);
  }
}

/// All that happened at one time is known: share links and SMs anew.
void Simulator::settle() {
  while (!to_advance_.empty()) {
    const std::uint32_t actor = to_advance_.back();
    to_advance_.pop_back();
    advance(actor);
  }
  forecasts_.clear();
  network_.settle(now_, forecasts_);
  for (const auto& f : forecasts_) queue_.push(f.time, EventKind::transfer_ends, f.transfer, f.version);
  for (const std::uint32_t actor : to_retime_) apply_speed(actor);
  to_retime_.clear();
}

void Simulator::apply_speed(std::uint32_t actor) {
  State& state = states_[actor];
  const std::int64_t speed = kFullSpeed - std::min(state.taken, kMostTaken);
  if (speed == state.speed) return;
  if (state.running != kNone) {
    state.work_left -= static_cast<Int128>((now_ - state.anchor).ps()) * state.speed;
    state.anchor = now_;
    ++state.version;
    queue_.push(now_ + SimTime(ceil_div(state.work_left, speed)), EventKind::compute_ends, actor, state.version);
  }
  state.speed = speed;
}

/// Starts what can start. Only an op that ends at once (a kernel without a duration, a message already there) can let
/// another one start in the same call.
void Simulator::advance(std::uint32_t actor) {
  State& state = states_[actor];
  do {
    state.ended_at_once = false;
    for (unsigned idle = state.open & ~unsigned{state.busy}; idle != 0; idle &= idle - 1) {
      while (advance_stream(actor, static_cast<std::size_t>(std::countr_zero(idle)))) {
      }
    }
  } while (state.ended_at_once);
}

/// Starts the head of a stream if nothing holds it back; true if it ended at once and the next one may start.
bool Simulator::advance_stream(std::uint32_t actor, std::size_t stream) {
  State& state = states_[actor];
  const auto& ops = tables_[timeline_.actors[actor].program.index()].by_stream[stream];
  if ((state.busy >> stream & 1U) != 0) return false;
  if (state.next[stream] == ops.size()) {
    state.open &= static_cast<std::uint16_t>(~(1U << stream));
    return false;
  }
  const std::uint32_t op = ops[state.next[stream]];
  if (!deps_ended(timeline_.actors[actor], op) || !host_has_issued(actor, stream, op)) return false;
  ++state.next[stream];
  state.busy |= static_cast<std::uint16_t>(1U << stream);
  timeline_.actors[actor].times[op].posted = now_;
  start(actor, op);
  return (state.busy >> stream & 1U) == 0;
}

bool Simulator::deps_ended(const Actor& actor, std::uint32_t op) const {
  for (const std::uint32_t dep : graph_.programs[actor.program].deps.row(op)) {
    if (actor.times[dep].ended == SimTime::never()) return false;
  }
  return true;
}

bool Simulator::host_has_issued(std::uint32_t actor, std::size_t stream, std::uint32_t op) {
  const auto& issued = timeline_.issued[timeline_.actors[actor].program];
  if (issued.empty() || issued[op] <= now_) return true;
  State& state = states_[actor];
  if ((state.asked_host >> stream & 1U) == 0) {
    state.asked_host |= static_cast<std::uint16_t>(1U << stream);
    queue_.push(issued[op], EventKind::host_issues, actor, static_cast<std::uint32_t>(stream));
  }
  return false;
}

void Simulator::start(std::uint32_t actor, std::uint32_t op) {
  const OpRef ref{actor, op};
  switch (op_at(ref).kind) {
    case OpKind::compute:
      start_compute(actor, op);
      break;
    case OpKind::collective:
      post_collective(ref);
      break;
    case OpKind::ring_hop:
      post_hop(ref);
      break;
    case OpKind::send:
      post_send(ref);
      break;
    case OpKind::recv:
      post_recv(ref);
      break;
  }
}

void Simulator::start_compute(std::uint32_t actor, std::uint32_t op) {
  const SimTime span = kernel_span(actor, op);
  if (span.ps() == 0) {
    end_op({actor, op}, now_);
    return;
  }
  State& state = states_[actor];
  state.running = op;
  state.anchor = now_;
  state.work_left = static_cast<Int128>(span.ps()) * kFullSpeed;
  ++state.version;
  const SimTime slowed = state.speed == kFullSpeed ? span : SimTime(ceil_div(state.work_left, state.speed));
  queue_.push(now_ + slowed, EventKind::compute_ends, actor, state.version);
}

SimTime Simulator::kernel_span(std::uint32_t actor, std::uint32_t op) const {
  const SimTime span = kernel_spans_[op_at({actor, op}).what];
  const ActorClass& who = folding_.actors[actor];
  const double jitter = jitter_factor(perturbation_.kernel_jitter_sigma, options_.seed, JitterStream::kernel,
                                      who.ranks.front().index(), op);
  return scaled(span, who.slowdown * jitter);
}

void Simulator::end_compute(std::uint32_t actor) {
  State& state = states_[actor];
  const std::uint32_t op = std::exchange(state.running, kNone);
  ++state.version;
  const SimTime took = now_ - timeline_.actors[actor].times[op].posted;
  timeline_.actors[actor].slowed_by_comm += took - kernel_span(actor, op);
  end_op({actor, op}, timeline_.actors[actor].times[op].posted);
}

void Simulator::end_op(OpRef ref, SimTime moved) {
  OpTimes& times = times_of(ref);
  times.moved = moved;
  times.ended = now_;
  timeline_.end = std::max(timeline_.end, now_);
  State& state = states_[ref.actor];
  ++state.done;
  state.ended_at_once = true;
  state.busy &= static_cast<std::uint16_t>(~(1U << static_cast<unsigned>(op_at(ref).stream)));
  to_advance_.push_back(ref.actor);
}

Timeline simulate(const StepGraph& graph, const Machine& machine, const SimulationOptions& options,
                  const Perturbation& perturbation) {
  if (graph.program_of_rank.size() != machine.fabric.devices()) {
    throw SimError("the layout has " + std::to_string(graph.program_of_rank.size()) + " ranks and the cluster " +
                   std::to_string(machine.fabric.devices()) + " accelerators; they must be equal");
  }
  return Simulator(graph, machine, options, perturbation).run();
}

}  // namespace stepsim
