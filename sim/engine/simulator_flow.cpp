// Bytes in flight: phases of a communication one after the other, each a transfer over shared links.

#include <algorithm>
#include <utility>

#include "sim/engine/simulator.h"

namespace stepsim {

namespace {

/// A slot for a new item: a free one, or one more.
template <class T>
std::uint32_t place(std::vector<T>& items, std::vector<std::uint32_t>& free, T item) {
  if (free.empty()) {
    items.push_back(std::move(item));
    return static_cast<std::uint32_t>(items.size() - 1);
  }
  const std::uint32_t slot = free.back();
  free.pop_back();
  items[slot] = std::move(item);
  return slot;
}

}  // namespace

std::uint32_t Simulator::begin(Running running) {
  take_sms(running, 1);
  return place(running_, free_running_, std::move(running));
}

/// Starts the next phase and those that run beside it.
void Simulator::start_phases(std::uint32_t number) {
  const std::vector<PhasePlan>& plan = *running_[number].plan;
  do {
    start_transfer(number, plan[running_[number].next_phase++]);
  } while (running_[number].next_phase < plan.size() && plan[running_[number].next_phase].beside_previous);
}

void Simulator::start_transfer(std::uint32_t number, const PhasePlan& phase) {
  ++running_[number].in_flight;
  count_bytes(running_[number], phase);
  const std::uint32_t transfer = place(transfers_, free_transfers_, Transfer{number, phase.bundle, phase.amount});
  if (phase.latency.ps() > 0) {
    queue_.push(now_ + phase.latency, EventKind::transfer_joins, transfer, 0);
  } else {
    join_network(transfer);
  }
}

void Simulator::join_network(std::uint32_t number) {
  const Transfer& transfer = transfers_[number];
  const BundleClass& flows = folding_.bundles[transfer.bundle];
  network_.start(number, flows.links, flows.solo_rate, transfer.amount, now_);
}

void Simulator::end_transfer(std::uint32_t transfer) {
  network_.remove(transfer);
  free_transfers_.push_back(transfer);
  const std::uint32_t number = transfers_[transfer].running;
  Running& running = running_[number];
  if (--running.in_flight > 0) return;
  if (running.plan != nullptr && running.next_phase < running.plan->size()) {
    start_phases(number);
  } else {
    end_running(number);
  }
}

void Simulator::end_running(std::uint32_t number) {
  const Running running = std::move(running_[number]);
  free_running_.push_back(number);
  take_sms(running, -1);
  switch (running.owner) {
    case Running::Owner::meeting:
      for (const OpRef ref : running.members) end_op(ref, running.moved);
      break;
    case Running::Owner::hop:
      end_hop(running);
      break;
    case Running::Owner::message:
      end_message(running);
      break;
  }
}

/// NCCL kernels occupy SMs and memory bandwidth while they move bytes; a one-way transfer (half a hop) takes half of a
/// hop's share at each end.
void Simulator::take_sms(const Running& running, int sign) {
  const std::int64_t share = running.owner == Running::Owner::meeting ? collective_share_ : one_way_share_;
  if (share == 0) return;
  for (const OpRef ref : running.members) {
    states_[ref.actor].taken += sign * share;
    to_retime_.push_back(ref.actor);
  }
}

void Simulator::count_bytes(const Running& running, const PhasePlan& phase) {
  const BundleClass& flows = folding_.bundles[phase.bundle];
  const std::int64_t bytes = ceil_div(static_cast<Int128>(phase.amount) * flows.flows_per_member, kUnitsPerByte);
  const auto axis = static_cast<std::size_t>(comm_at(running.members.front()).axis);
  if (running.owner != Running::Owner::meeting) {
    timeline_.actors[running.members[0].actor].sent[axis] += bytes;
    timeline_.actors[running.members[1].actor].received[axis] += bytes;
    return;
  }
  for (const OpRef ref : running.members) {
    timeline_.actors[ref.actor].sent[axis] += bytes;
    timeline_.actors[ref.actor].received[axis] += bytes;
  }
}

}  // namespace stepsim
