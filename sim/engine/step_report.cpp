#include "sim/engine/step_report.h"

#include <algorithm>

#include "sim/engine/accounting.h"
#include "sim/engine/axis_links.h"
#include "sim/engine/comm_time.h"
#include "sim/engine/simulate.h"

namespace stepsim {
namespace {

/// Weighted sums of parts that become a mean.
class Mean {
 public:
  void add(const ActorReport& actor) {
    const double weight = actor.ranks;
    ranks_ += weight;
    sum_.compute += to_seconds(actor.parts.compute) * weight;
    sum_.bubble += to_seconds(actor.parts.bubble) * weight;
    sum_.peer_wait += to_seconds(actor.parts.peer_wait) * weight;
    sum_.host += to_seconds(actor.parts.host) * weight;
    sum_.slowed_by_comm += to_seconds(actor.slowed_by_comm) * weight;
    for (std::size_t a = 0; a < kAxes; ++a) sum_.exposed[a] += to_seconds(actor.parts.exposed[a]) * weight;
  }

  [[nodiscard]] MeanParts get() const {
    MeanParts mean = sum_;
    for (Seconds* part : {&mean.compute, &mean.bubble, &mean.peer_wait, &mean.host, &mean.slowed_by_comm}) {
      *part = *part / std::max(ranks_, 1.0);
    }
    for (Seconds& part : mean.exposed) part = part / std::max(ranks_, 1.0);
    return mean;
  }

 private:
  MeanParts sum_;
  double ranks_ = 0;
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
void add_axis_means(StepReport& report, std::size_t ranks) {
  for (std::size_t a = 0; a < kAxes; ++a) {
    Seconds hidden;
    AxisLinks& axis = report.axes[a];
    for (const ActorReport& actor : report.actors) {
      const double weight = static_cast<double>(actor.ranks) / static_cast<double>(ranks);
      axis.busy += to_seconds(actor.comm[a]) * weight;
      hidden += to_seconds(actor.hidden[a]) * weight;
      axis.payload += Bytes(static_cast<double>(actor.payload_bytes[a])) * weight;
      axis.sent += Bytes(static_cast<double>(actor.sent_bytes[a])) * weight;
    }
    axis.hidden_fraction = axis.busy.value() > 0 ? hidden / axis.busy : 1;
  }
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
  add_axis_means(report, graph.program_of_rank.size());
  return report;
}

}  // namespace stepsim
