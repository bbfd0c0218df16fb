// What a run that can't go on says: who waits for what, all the way round.

#include <fmt/format.h>
#include <algorithm>

#include "sim/base/error.h"
#include "sim/engine/simulator.h"

namespace stepsim {

bool Simulator::finished(std::uint32_t actor) const {
  return states_[actor].done == timeline_.actors[actor].times.size();
}

/// Every op has ended and nobody has sent what nobody received.
void Simulator::check_finished() const {
  for (std::uint32_t actor = 0; actor < states_.size(); ++actor) {
    if (!finished(actor)) throw SimError("deadlock: no rank can go on\n" + wait_chain(actor));
  }
  for (const Channel& channel : channels_) {
    if (channel.messages.empty()) continue;
    throw SimError(
        fmt::format("mismatched sends: {} sends {} messages to {}, which receives {}; the first one left over: {}",
                    ranks_of(channel.sender), channel.sent, ranks_of(channel.receiver), channel.received,
                    describe(channel.messages.front().send)));
  }
}

std::string Simulator::wait_chain(std::uint32_t actor) const {
  std::string text;
  std::vector<bool> seen(states_.size(), false);
  while (actor != kNone && !seen[actor]) {
    seen[actor] = true;
    const Blocked blocked = blocked_by(actor);
    text += fmt::format("  {} {}\n", describe(blocked.at), blocked.why);
    actor = blocked.next;
  }
  return text + (actor == kNone ? "  and that is never issued"
                                : fmt::format("  and {} is where the chain began or closes", ranks_of(actor)));
}

/// The first op in program order that has not ended and whose inputs have.
std::uint32_t Simulator::first_waiting_op(std::uint32_t actor) const {
  const auto& times = timeline_.actors[actor].times;
  for (std::uint32_t op = 0; op < times.size(); ++op) {
    if (times[op].ended == SimTime::never() && times[op].posted != SimTime::never()) return op;
  }
  for (std::uint32_t op = 0; op < times.size(); ++op) {
    if (times[op].ended == SimTime::never()) return op;
  }
  return kNone;
}

Simulator::Blocked Simulator::blocked_by(std::uint32_t actor) const {
  const std::uint32_t op = first_waiting_op(actor);
  const OpRef ref{actor, op};
  if (op == kNone) return {ref, "has nothing left to do", kNone};
  if (timeline_.actors[actor].times[op].posted == SimTime::never())
    return {ref, "waits for ops of its own rank", kNone};
  switch (op_at(ref).kind) {
    case OpKind::collective:
      return blocked_meeting(ref);
    case OpKind::ring_hop:
      return blocked_hop(ref);
    case OpKind::recv:
      return blocked_recv(ref);
    default:
      return {ref, "is still running", kNone};
  }
}

Simulator::Blocked Simulator::blocked_meeting(OpRef ref) const {
  const Comm& comm = comm_at(ref);
  const auto kind = static_cast<std::size_t>(comm.group);
  const std::uint32_t group = folding_.actors[ref.actor].group[kind];
  const std::uint32_t number = states_[ref.actor].meetings[kind];
  for (const std::uint32_t member : folding_.bundles[group].actors) {
    if (states_[member].meetings[kind] < number) {
      return {ref,
              fmt::format("waits for {} to take part (collective {} of their {} group)", ranks_of(member), number - 1,
                          name_of(comm.group)),
              member};
    }
  }
  return {ref, "is still moving", kNone};
}

Simulator::Blocked Simulator::blocked_hop(OpRef ref) const {
  const ActorClass& who = folding_.actors[ref.actor];
  const std::uint32_t next = folding_.bundles[who.hop_out].actors[1];
  const std::uint32_t previous = folding_.bundles[who.hop_in].actors[0];
  if (hops_[who.hop_out].receiver.empty())
    return {ref, fmt::format("waits for {} to post its hop", ranks_of(next)), next};
  return {ref, fmt::format("waits for {} to post its hop", ranks_of(previous)), previous};
}

Simulator::Blocked Simulator::blocked_recv(OpRef ref) const {
  const Channel& channel = channels_[states_[ref.actor].recv_channels[op_at(ref).what]];
  return {ref, fmt::format("waits for message {} from {}", channel.received, ranks_of(channel.sender)), channel.sender};
}

void Simulator::mismatch(OpRef a, OpRef b, const std::string& what) const {
  throw SimError(fmt::format("mismatched communication: these two {} and do not agree\n  {}\n  {}", what, describe(a),
                             describe(b)));
}

std::string Simulator::ranks_of(std::uint32_t actor) const {
  const auto& ranks = timeline_.actors[actor].ranks;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front().index());
  return fmt::format("rank {} (and {} like it)", ranks.front().index(), ranks.size() - 1);
}

std::string Simulator::describe(OpRef ref) const {
  if (ref.op == kNone) return ranks_of(ref.actor);
  const Op& op = op_at(ref);
  const std::string where = fmt::format("{}, op {} ({}, microbatch {}, virtual stage {})", ranks_of(ref.actor), ref.op,
                                        name_of(op.pass), op.microbatch, op.chunk);
  if (op.kind == OpKind::compute) return fmt::format("{}: kernel {}", where, graph_.kernels[KernelId(op.what)].name);
  const Comm& comm = graph_.comms[CommId(op.what)];
  return fmt::format("{}: {} of {} bytes on axis {}", where, name_of(comm.kind), comm.bytes, name_of(comm.axis));
}

}  // namespace stepsim
