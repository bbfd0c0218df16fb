#include "sim/engine/step_report.h"

#include <algorithm>

#include "sim/engine/accounting.h"
#include "sim/engine/axis_links.h"
#include "sim/engine/comm_time.h"
#include "sim/engine/exact.h"
#include "sim/engine/simulate.h"

namespace stepsim {
namespace {

/// A mean over ranks from a sum in whole numbers: folded and unfolded runs give the same bytes.
class WholeMean {
 public:
  void add(std::int64_t value, std::uint32_t ranks) { sum_ += static_cast<Int128>(value) * ranks; }
  void add(SimTime value, std::uint32_t ranks) { add(value.ps(), ranks); }
  [[nodiscard]] double over(std::int64_t ranks) const {
    return static_cast<double>(sum_) / static_cast<double>(std::max<std::int64_t>(ranks, 1));
  }
  [[nodiscard]] Seconds seconds(std::int64_t ranks) const { return Seconds(over(ranks) * 1e-12); }

 private:
  Int128 sum_ = 0;
};

/// Sums of parts that become a mean.
class Mean {
 public:
  void add(const ActorReport& actor) {
    ranks_ += actor.ranks;
    compute_.add(actor.parts.compute, actor.ranks);
    bubble_.add(actor.parts.bubble, actor.ranks);
    peer_wait_.add(actor.parts.peer_wait, actor.ranks);
    host_.add(actor.parts.host, actor.ranks);
    slowed_.add(actor.slowed_by_comm, actor.ranks);
    for (std::size_t a = 0; a < kAxes; ++a) exposed_[a].add(actor.parts.exposed[a], actor.ranks);
  }

  [[nodiscard]] MeanParts get() const {
    MeanParts mean;
    mean.compute = compute_.seconds(ranks_);
    mean.bubble = bubble_.seconds(ranks_);
    mean.peer_wait = peer_wait_.seconds(ranks_);
    mean.host = host_.seconds(ranks_);
    mean.slowed_by_comm = slowed_.seconds(ranks_);
    for (std::size_t a = 0; a < kAxes; ++a) mean.exposed[a] = exposed_[a].seconds(ranks_);
    return mean;
  }

 private:
  WholeMean compute_, bubble_, peer_wait_, host_, slowed_;
  std::array<WholeMean, kAxes> exposed_;
  std::int64_t ranks_ = 0;
};

void add_payloads(const StepGraph& graph, const Program& program, ActorReport& report) {
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::compute || op.kind == OpKind::recv) continue;
    const Comm& comm = graph.comms[CommId(op.what)];
    report.payload_bytes[static_cast<std::size_t>(comm.axis)] += comm.bytes;
  }
}

ActorReport report_actor(const StepGraph& graph, const Timeline& timeline, const Actor& actor) {
  ActorReport report;
  report.first_rank = actor.ranks.front().index();
  report.ranks = static_cast<std::uint32_t>(actor.ranks.size());
  report.stage = graph.programs[actor.program].pipeline_rank;
  report.parts = account_actor(graph, timeline, actor);
  report.slowed_by_comm = actor.slowed_by_comm;
  const CommTime time = comm_time(graph, actor);
  report.comm = time.moving;
  report.hidden = time.hidden;
  report.sent_bytes = actor.sent;
  report.received_bytes = actor.received;
  add_payloads(graph, graph.programs[actor.program], report);
  return report;
}

/// Means over ranks of what an axis moved.
AxisLinks with_means(AxisLinks axis, const std::vector<ActorReport>& actors, std::size_t a) {
  WholeMean busy, hidden, payload, sent;
  std::int64_t ranks = 0;
  for (const ActorReport& actor : actors) {
    ranks += actor.ranks;
    busy.add(actor.comm[a], actor.ranks);
    hidden.add(actor.hidden[a], actor.ranks);
    payload.add(actor.payload_bytes[a], actor.ranks);
    sent.add(actor.sent_bytes[a], actor.ranks);
  }
  axis.busy = busy.seconds(ranks);
  axis.payload = Bytes(payload.over(ranks));
  axis.sent = Bytes(sent.over(ranks));
  axis.hidden_fraction = axis.busy.value() > 0 ? hidden.seconds(ranks) / axis.busy : 1;
  return axis;
}

Flops flops_of(const StepGraph& graph, const Program& program) {
  Flops sum;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::compute) sum += graph.kernels[KernelId(op.what)].flops;
  }
  return sum;
}

}  // namespace

StepReport account(const StepGraph& graph, const Machine& machine, const Timeline& timeline) {
  StepReport report;
  report.step = timeline.end;
  report.events = timeline.events;
  Mean mean;
  std::vector<Mean> stages(static_cast<std::size_t>(graph.grid.layout().pp));
  for (const Actor& actor : timeline.actors) {
    const ActorReport& one = report.actors.emplace_back(report_actor(graph, timeline, actor));
    mean.add(one);
    stages[static_cast<std::size_t>(one.stage)].add(one);
    const Program& program = graph.programs[actor.program];
    report.ops += program.ops.size();
    report.hardware_flops += flops_of(graph, program) * static_cast<double>(actor.ranks.size());
  }
  report.mean = mean.get();
  for (const Mean& stage : stages) report.stages.push_back(stage.get());
  report.axes = find_axis_links(graph, machine.fabric);
  for (std::size_t a = 0; a < kAxes; ++a) report.axes[a] = with_means(report.axes[a], report.actors, a);
  return report;
}

}  // namespace stepsim
