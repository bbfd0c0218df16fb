// Communications of the event loop: how ops meet, and what their bytes do then.

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.h"
#include "sim/engine/collectives/curve_time.h"
#include "sim/engine/jitter.h"
#include "sim/engine/simulator.h"

namespace stepsim {
bool may_meet(const Comm& a, const Comm& b) {
  return a.kind == b.kind && (a.bytes == b.bytes || a.kind == CommKind::all_to_all);
}

// ---- collectives ----

void Simulator::post_collective(OpRef ref) {
  const Comm& comm = comm_at(ref);
  const auto kind = static_cast<std::size_t>(comm.group);
  const std::uint32_t group = folding_.actors[ref.actor].group[kind];
  MeetingQueue& queue = meetings_[group];
  const std::uint32_t number = states_[ref.actor].meetings[kind]++;
  while (queue.first + queue.open.size() <= number) queue.open.emplace_back();
  Meeting& meeting = queue.open[number - queue.first];
  if (!meeting.posted.empty() && !may_meet(comm, comm_at(meeting.posted.front()))) {
    mismatch(meeting.posted.front(), ref, "meet in one collective");
  }
  meeting.posted.push_back(ref);
  if (meeting.posted.size() == folding_.bundles[group].actors.size()) start_meeting(meeting);
  while (!queue.open.empty() && queue.open.front().started) {
    queue.open.pop_front();
    ++queue.first;
  }
}

void Simulator::start_meeting(Meeting& meeting) {
  meeting.started = true;
  OpRef largest = meeting.posted.front();
  for (const OpRef ref : meeting.posted) {
    if (comm_at(ref).bytes > comm_at(largest).bytes) largest = ref;
  }
  const auto kind = static_cast<std::size_t>(comm_at(largest).group);
  if (folding_.bundles[folding_.actors[largest.actor].group[kind]].members == 1) {
    end_op(meeting.posted.front(), now_);
    return;
  }
  start_phases(begin({Running::Owner::meeting, kNone, &plan_of(largest), 0, 0, now_, std::move(meeting.posted)}));
}

/// Phases of a collective on the actor's group, worked out once.
const std::vector<Simulator::PhasePlan>& Simulator::plan_of(OpRef ref) {
  const auto kind = static_cast<std::size_t>(comm_at(ref).group);
  const auto [at, added] = plans_.try_emplace({folding_.actors[ref.actor].group[kind], op_at(ref).what});
  if (added) at->second = make_plan(ref.actor, op_at(ref).what);
  return at->second;
}

std::vector<Simulator::PhasePlan> Simulator::make_plan(std::uint32_t actor, std::uint32_t id) const {
  const Comm& comm = graph_.comms[CommId(id)];
  const ActorClass& who = folding_.actors[actor];
  const BundleClass& group = folding_.bundles[who.group[static_cast<std::size_t>(comm.group)]];
  std::vector<PhasePlan> plan;
  for (const Phase& phase : traffic_.algorithm_of_comm[id]->phases(comm, group.shape)) {
    const FlowKey key{phase.pattern, comm.group, -1, static_cast<std::int16_t>(phase.round)};
    const auto number = std::lower_bound(traffic_.keys.begin(), traffic_.keys.end(), key) - traffic_.keys.begin();
    const std::uint32_t bundle = who.bundle_of_key[static_cast<std::size_t>(number)];
    if (on_curve(comm, group.shape, *traffic_.algorithm_of_comm[id])) return {curve_plan(comm, bundle)};
    const BundleClass& flows = folding_.bundles[bundle];
    const SimTime start = plan.empty() ? flows.overhead : SimTime(0);
    const SimTime travel(flows.trip_latency.ps() * phase.trips + flows.hop_latency.ps() * phase.hops);
    plan.push_back(
        {bundle, share_of(comm.bytes, phase.numerator, phase.denominator), start + travel, phase.beside_previous});
  }
  return plan;
}

/// A collective inside one group of the innermost level that NCCL would run, where the level has a measured curve.
bool Simulator::on_curve(const Comm& comm, const GroupShape& shape, const Algorithm& algorithm) const {
  const bool measured = algorithm.automatic && comm.kind != CommKind::scalar_all_reduce;
  const bool asked = comm.kind != CommKind::all_reduce || options_.all_reduce == "auto";
  return measured && asked && shape.nodes == 1 && machine_.fabric.collective_curve(0) != nullptr;
}

/// The curve's start, then each port carries its bytes, an equal part with each of a member's flows.
Simulator::PhasePlan Simulator::curve_plan(const Comm& comm, std::uint32_t bundle) const {
  const BundleClass& flows = folding_.bundles[bundle];
  const Fabric& fabric = machine_.fabric;
  const LevelBandwidth level{fabric.level_bandwidth(0), fabric.level_efficiency(0)};
  const CurveTime time = curve_time(comm, flows.members, *fabric.collective_curve(0), level);
  const double units =
      time.carried.value() * static_cast<double>(kUnitsPerByte) / static_cast<double>(flows.flows_per_member);
  return {bundle, static_cast<Amount>(std::ceil(units)), to_sim_time(time.start), false};
}

// ---- hops of a ring ----

void Simulator::post_hop(OpRef ref) {
  const ActorClass& who = folding_.actors[ref.actor];
  State& state = states_[ref.actor];
  state.hop = ref.op;
  state.hop_parts = 2;
  hops_[who.hop_out].sender = ref;
  HopPair& in = hops_[who.hop_in];
  in.receiver = ref;
  if (!in.early.empty()) {
    in.early.pop_front();
    in.receiver = {};
    end_hop_part(ref, now_, true);
  }
  start_hop(who.hop_out);
  if (who.hop_in != who.hop_out) start_hop(who.hop_in);
}

/// Lockstep hops move when both sides have posted, eager ones when the sender has.
void Simulator::start_hop(std::uint32_t bundle) {
  HopPair& pair = hops_[bundle];
  if (pair.moving || pair.sender.empty()) return;
  const Comm& comm = comm_at(pair.sender);
  if (!comm.eager && pair.receiver.empty()) return;
  if (!pair.receiver.empty() && comm.bytes != comm_at(pair.receiver).bytes) {
    mismatch(pair.sender, pair.receiver, "meet in one ring hop");
  }
  pair.moving = true;
  const BundleClass& flows = folding_.bundles[bundle];
  const double jitter = jitter_factor(perturbation_.hop_jitter_sigma, options_.seed, JitterStream::hop,
                                      folding_.actors[pair.sender.actor].ranks.front().index(), pair.sender.op);
  const OpRef receiver = pair.receiver.empty() ? OpRef{flows.actors[1], kNone} : pair.receiver;
  const PhasePlan hop{bundle, scaled(SimTime(share_of(comm.bytes, 1, 1)), jitter).ps(),
                      scaled(flows.hop_latency + flows.overhead, jitter), false};
  start_transfer(begin({Running::Owner::hop, bundle, nullptr, 0, 0, now_, {pair.sender, receiver}}), hop);
}

void Simulator::end_hop(const Running& running) {
  HopPair& pair = hops_[running.pair];
  pair.moving = false;
  const OpRef sender = std::exchange(pair.sender, {});
  const OpRef receiver = std::exchange(pair.receiver, {});
  end_hop_part(sender, running.moved, false);
  if (receiver.empty()) {
    pair.early.push_back({running.moved, now_});
  } else {
    end_hop_part(receiver, std::max(running.moved, times_of(receiver).posted), true);
  }
}

/// The direction that ended last tells when the hop moved; of two at one time the incoming one, which was waited for.
void Simulator::end_hop_part(OpRef ref, SimTime moved, bool incoming) {
  State& state = states_[ref.actor];
  OpTimes& times = times_of(ref);
  const bool first = state.hop_parts == 2;
  const bool tie = !first && state.hop_part_ended == now_;
  if (first || !tie || incoming) times.moved = moved;
  state.hop_part_ended = now_;
  if (--state.hop_parts == 0) {
    state.hop = kNone;
    end_op(ref, times.moved);
  }
}

// ---- messages between pipeline ranks ----

void Simulator::make_channels() {
  for (std::uint32_t a = 0; a < folding_.actors.size(); ++a) {
    states_[a].send_channels.assign(graph_.comms.size(), kNone);
    states_[a].recv_channels.assign(graph_.comms.size(), kNone);
    for (const Op& op : graph_.programs[folding_.actors[a].program].ops) {
      if (op.kind == OpKind::send || op.kind == OpKind::recv) make_channel(a, op);
    }
  }
}

void Simulator::make_channel(std::uint32_t actor, const Op& op) {
  const bool send = op.kind == OpKind::send;
  auto& slot = (send ? states_[actor].send_channels : states_[actor].recv_channels)[op.what];
  if (slot != kNone) return;
  const ActorClass& who = folding_.actors[actor];
  const Comm& comm = graph_.comms[CommId(op.what)];
  const RankId peer_rank = graph_.grid.on_stage(who.ranks.front(), comm.peer_stage);
  const std::uint32_t peer = folding_.actor_of_rank[peer_rank.index()];
  slot = send ? channel_of(actor, peer, comm.channel) : channel_of(peer, actor, comm.channel);
  if (send) channels_[slot].bundle = who.send_bundle.at(comm.peer_stage);
}

std::uint32_t Simulator::channel_of(std::uint32_t sender, std::uint32_t receiver, std::uint8_t tag) {
  const auto [at, added] =
      channel_numbers_.try_emplace({sender, receiver, tag}, static_cast<std::uint32_t>(channels_.size()));
  if (added) channels_.push_back({kNone, sender, receiver, tag, {}, {}, 0, 0});
  return at->second;
}

/// When the data of a send was there: its inputs had ended and the host had issued it.
SimTime Simulator::produced_at(OpRef ref) const {
  SimTime at;
  const Actor& actor = timeline_.actors[ref.actor];
  for (const std::uint32_t dep : graph_.programs[actor.program].deps.row(ref.op))
    at = std::max(at, actor.times[dep].ended);
  const auto& issued = timeline_.issued[actor.program];
  return issued.empty() ? at : std::max(at, issued[ref.op]);
}

void Simulator::post_send(OpRef ref) {
  const std::uint32_t number = states_[ref.actor].send_channels[op_at(ref).what];
  Channel& channel = channels_[number];
  // On the compute stream the data is there when the kernels before it have ended: when it starts.
  const bool own_stream = op_at(ref).stream != Stream::compute;
  channel.messages.push_back({ref, own_stream ? produced_at(ref) : now_, false});
  ++channel.sent;
  const BundleClass& flows = folding_.bundles[channel.bundle];
  const PhasePlan message{channel.bundle, share_of(comm_at(ref).bytes, 1, 1), flows.hop_latency + flows.overhead,
                          false};
  start_transfer(begin({Running::Owner::message, number, nullptr, 0, 0, now_, {ref, {channel.receiver, kNone}}}),
                 message);
}

void Simulator::post_recv(OpRef ref) {
  Channel& channel = channels_[states_[ref.actor].recv_channels[op_at(ref).what]];
  channel.waiting = ref;
  deliver(channel);
}

/// Hands the oldest message to the posted receive, if both are there.
void Simulator::deliver(Channel& channel) {
  if (channel.waiting.empty() || channel.messages.empty()) return;
  const Channel::Message message = channel.messages.front();
  const Op& send = op_at(message.send);
  const Op& recv = op_at(channel.waiting);
  if (comm_at(message.send).bytes != comm_at(channel.waiting).bytes || send.microbatch != recv.microbatch) {
    mismatch(message.send, channel.waiting, "are message " + std::to_string(channel.received) + " of one channel");
  }
  if (!message.arrived) return;
  channel.messages.pop_front();
  ++channel.received;
  const OpRef ref = std::exchange(channel.waiting, {});
  end_op(ref, std::min(now_, std::max(times_of(ref).posted, message.produced)));
}

void Simulator::end_message(const Running& running) {
  Channel& channel = channels_[running.pair];
  const OpRef send = running.members.front();
  for (auto& message : channel.messages) {
    if (message.send.op == send.op) message.arrived = true;
  }
  end_op(send, running.moved);
  deliver(channel);
}

}  // namespace stepsim
