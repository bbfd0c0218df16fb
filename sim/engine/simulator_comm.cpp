// Communications of the event loop: how ops meet, and what their bytes do then.

#include <algorithm>
#include <utility>

#include "sim/base/error.h"
#include "sim/engine/jitter.h"
#include "sim/engine/simulator.h"

namespace stepsim {
namespace {

/// Bytes that each flow of a collective carries, of a payload S, n members and k rings (Thakur, Rabenseifner, Gropp,
/// IJHPCA 2005, section 4: ring AllGather and ReduceScatter move (n-1)/n S, AllReduce both).
Amount amount_of(const Comm& comm, const BundleClass& bundle) {
  const std::int64_t n = bundle.members;
  const std::int64_t k = bundle.flows_per_member;
  switch (comm.kind) {
    case CommKind::all_reduce:
      return share_of(comm.bytes, 2 * (n - 1), n * k);
    case CommKind::all_gather:
    case CommKind::reduce_scatter:
      return share_of(comm.bytes, n - 1, n * k);
    case CommKind::all_to_all:
      return share_of(comm.bytes, 1, n - 1);
    case CommKind::scalar_all_reduce:
      return 0;
    case CommKind::broadcast:
      return share_of(comm.bytes, 1, k);
    default:
      return share_of(comm.bytes, 1, 1);
  }
}

/// A ring AllReduce goes round twice.
SimTime latency_of(const Comm& comm, const BundleClass& bundle) {
  const std::int64_t trips = comm.kind == CommKind::all_reduce ? 2 : 1;
  return SimTime(bundle.latency.ps() * trips) + bundle.overhead;
}

}  // namespace

bool may_meet(const Comm& a, const Comm& b) {
  return a.kind == b.kind && (a.bytes == b.bytes || a.kind == CommKind::all_to_all);
}

// ---- collectives ----

void Simulator::post_collective(OpRef ref) {
  const Comm& comm = comm_at(ref);
  const auto pattern = static_cast<std::size_t>(pattern_of(comm.kind));
  const auto kind = static_cast<std::size_t>(comm.group);
  const std::uint32_t bundle = folding_.actors[ref.actor].group_bundle[pattern][kind];
  MeetingQueue& queue = meetings_[bundle];
  const std::uint32_t number = states_[ref.actor].meetings[pattern][kind]++;
  while (queue.first + queue.open.size() <= number) queue.open.emplace_back();
  Meeting& meeting = queue.open[number - queue.first];
  if (!meeting.posted.empty() && !may_meet(comm, comm_at(meeting.posted.front()))) {
    mismatch(meeting.posted.front(), ref, "meet in one collective");
  }
  meeting.posted.push_back(ref);
  if (meeting.posted.size() == folding_.bundles[bundle].actors.size()) start_meeting(bundle, meeting);
  while (!queue.open.empty() && queue.open.front().started) {
    queue.open.pop_front();
    ++queue.first;
  }
}

void Simulator::start_meeting(std::uint32_t bundle, Meeting& meeting) {
  meeting.started = true;
  const BundleClass& group = folding_.bundles[bundle];
  if (group.members == 1) {
    end_op(meeting.posted.front(), now_);
    return;
  }
  OpRef largest = meeting.posted.front();
  for (const OpRef ref : meeting.posted) {
    if (comm_at(ref).bytes > comm_at(largest).bytes) largest = ref;
  }
  const Comm& comm = comm_at(largest);
  move({Transfer::Owner::meeting, bundle, kNone, amount_of(comm, group), now_, std::move(meeting.posted)},
       latency_of(comm, group));
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
  const Amount amount = scaled(SimTime(amount_of(comm, flows)), jitter).ps();
  const OpRef receiver = pair.receiver.empty() ? OpRef{flows.actors[1], kNone} : pair.receiver;
  move({Transfer::Owner::hop, bundle, kNone, amount, now_, {pair.sender, receiver}},
       scaled(latency_of(comm, flows), jitter));
}

void Simulator::end_hop(const Transfer& transfer) {
  HopPair& pair = hops_[transfer.bundle];
  pair.moving = false;
  const OpRef sender = std::exchange(pair.sender, {});
  const OpRef receiver = std::exchange(pair.receiver, {});
  end_hop_part(sender, transfer.moved, false);
  if (receiver.empty()) {
    pair.early.push_back({transfer.moved, now_});
  } else {
    end_hop_part(receiver, std::max(transfer.moved, times_of(receiver).posted), true);
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
  move({Transfer::Owner::message,
        channel.bundle,
        number,
        amount_of(comm_at(ref), flows),
        now_,
        {ref, {channel.receiver, kNone}}},
       latency_of(comm_at(ref), flows));
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

void Simulator::end_message(const Transfer& transfer) {
  Channel& channel = channels_[transfer.channel];
  const OpRef send = transfer.members.front();
  for (auto& message : channel.messages) {
    if (message.send.op == send.op) message.arrived = true;
  }
  end_op(send, transfer.moved);
  deliver(channel);
}

// ---- bytes in flight ----

void Simulator::move(Transfer transfer, SimTime latency) {
  std::uint32_t number = static_cast<std::uint32_t>(transfers_.size());
  if (free_transfers_.empty()) {
    transfers_.emplace_back();
  } else {
    number = free_transfers_.back();
    free_transfers_.pop_back();
  }
  take_sms(transfer, 1);
  count_bytes(transfer);
  transfers_[number] = std::move(transfer);
  if (latency.ps() > 0) {
    queue_.push(now_ + latency, EventKind::transfer_joins, number, 0);
  } else {
    join_network(number);
  }
}

void Simulator::join_network(std::uint32_t number) {
  const Transfer& transfer = transfers_[number];
  const BundleClass& flows = folding_.bundles[transfer.bundle];
  network_.start(number, flows.links, flows.solo_rate, transfer.amount, now_);
}

void Simulator::end_transfer(std::uint32_t number) {
  network_.remove(number);
  const Transfer transfer = std::move(transfers_[number]);
  free_transfers_.push_back(number);
  take_sms(transfer, -1);
  switch (transfer.owner) {
    case Transfer::Owner::meeting:
      for (const OpRef ref : transfer.members) end_op(ref, transfer.moved);
      break;
    case Transfer::Owner::hop:
      end_hop(transfer);
      break;
    case Transfer::Owner::message:
      end_message(transfer);
      break;
  }
}

std::int64_t Simulator::sm_share_of(const Transfer& transfer) const {
  return transfer.owner == Transfer::Owner::meeting ? collective_share_ : one_way_share_;
}

/// NCCL kernels occupy SMs and memory bandwidth while they move bytes; a one-way transfer (half a hop) takes half of a
/// hop's share at each end.
void Simulator::take_sms(const Transfer& transfer, int sign) {
  const std::int64_t share = sm_share_of(transfer);
  if (share == 0) return;
  for (const OpRef ref : transfer.members) {
    states_[ref.actor].taken += sign * share;
    to_retime_.push_back(ref.actor);
  }
}

void Simulator::count_bytes(const Transfer& transfer) {
  const BundleClass& flows = folding_.bundles[transfer.bundle];
  const std::int64_t bytes = ceil_div(static_cast<Int128>(transfer.amount) * flows.flows_per_member, kUnitsPerByte);
  const auto axis = static_cast<std::size_t>(comm_at(transfer.members.front()).axis);
  if (transfer.owner == Transfer::Owner::meeting) {
    for (const OpRef ref : transfer.members) {
      timeline_.actors[ref.actor].sent[axis] += bytes;
      timeline_.actors[ref.actor].received[axis] += bytes;
    }
    return;
  }
  timeline_.actors[transfer.members[0].actor].sent[axis] += bytes;
  timeline_.actors[transfer.members[1].actor].received[axis] += bytes;
}

}  // namespace stepsim
