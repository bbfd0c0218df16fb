#include "sim/studies/metrics.h"

#include <algorithm>
#include <array>

namespace stepsim {
namespace {

/// The order in which design.md lists the axes.
constexpr std::array<Axis, kAxes> kAxisOrder{Axis::tp, Axis::cp, Axis::pp, Axis::dp, Axis::ep};
constexpr double kTera = 1e12;

class MetricList {
 public:
  void real(std::string name, std::optional<double> value) { add(std::move(name), MetricKind::real, value); }
  void whole(std::string name, double value) { add(std::move(name), MetricKind::whole, value); }
  void truth(std::string name, bool value) { add(std::move(name), MetricKind::truth, value ? 1 : 0); }
  [[nodiscard]] std::vector<Metric> take() { return std::move(items_); }

 private:
  void add(std::string name, MetricKind kind, std::optional<double> value) {
    items_.push_back({.name = std::move(name), .kind = kind, .value = value});
  }
  std::vector<Metric> items_;
};

void add_breakdown(MetricList& list, const MeanParts& mean) {
  list.real("breakdown_s.compute", mean.compute.value());
  for (const Axis axis : kAxisOrder) {
    const Seconds exposed = mean.exposed[static_cast<std::size_t>(axis)];
    list.real(std::string("breakdown_s.exposed.") + name_of(axis), exposed.value());
  }
  list.real("breakdown_s.bubble", mean.bubble.value());
  list.real("breakdown_s.peer_wait", mean.peer_wait.value());
  list.real("breakdown_s.host", mean.host.value());
}

void add_shares(MetricList& list, const RunResult& run) {
  const MeanParts& mean = run.report.mean;
  list.real("bubble_fraction", mean.bubble / run.step());
  list.real("exposed_fraction", exposed_time(mean) / run.step());
  for (const Axis axis : kAxisOrder) {
    const AxisLinks& links = run.report.axes[static_cast<std::size_t>(axis)];
    const bool moved = links.used && links.busy > Seconds(0);
    list.real(std::string("hidden_comm_fraction.") + name_of(axis),
              moved ? std::optional<double>(links.hidden_fraction) : std::nullopt);
  }
  list.real("slowed_by_comm_s", mean.slowed_by_comm.value());
}

std::optional<double> model_flops_utilisation(const RunResult& run) {
  const auto peak = run.scenario.accelerator.peak.find(run.scenario.workload.linear_dtype);
  if (peak == run.scenario.accelerator.peak.end()) return std::nullopt;
  return model_rate_per_gpu(run) / peak->second;
}

void add_rates(MetricList& list, const RunResult& run) {
  const Seconds rank_time = run.step() * run.ranks;
  list.real("model_tflops_per_gpu", model_rate_per_gpu(run).value() / kTera);
  list.real("hardware_tflops_per_gpu", (run.report.hardware_flops / rank_time).value() / kTera);
  list.real("mfu", model_flops_utilisation(run));
  list.real("tokens_per_s_per_gpu", run.tokens / rank_time.value());
}

void add_memory(MetricList& list, const RunResult& run) {
  const MemoryUse& use = run.memory;
  list.whole("memory_bytes_per_gpu.weights", use.weights.value());
  list.whole("memory_bytes_per_gpu.gradients", use.gradients.value());
  list.whole("memory_bytes_per_gpu.optimizer", use.optimizer.value());
  list.whole("memory_bytes_per_gpu.activations", use.activations.value());
  list.whole("memory_bytes_per_gpu.kv_cache", use.kv_cache.value());
  list.whole("memory_bytes_per_gpu.buffers", use.buffers.value());
  list.whole("memory_bytes_per_gpu.total", use.total().value());
  list.whole("memory_bytes_per_gpu.capacity", run.scenario.accelerator.memory_capacity.value());
  list.truth("fits", run.fits());
}

void add_counts(MetricList& list, const RunResult& run) {
  list.whole("microbatches", run.microbatches);
  list.whole("ranks", run.ranks);
  list.whole("actors", static_cast<double>(run.report.actors.size()));
  list.whole("ops", static_cast<double>(run.report.ops));
  list.whole("events", static_cast<double>(run.report.events));
  list.real("wall_time_s", run.wall_time.value());
}

void add_latency(MetricList& list, const RunResult& run) {
  // A decode step makes one token of each sequence; a prefill step ends with the first token.
  if (run.scenario.workload.kind == WorkloadKind::prefill) list.real("ttft_s", run.step().value());
  if (run.scenario.workload.kind == WorkloadKind::decode) list.real("tpot_s", run.step().value());
}

}  // namespace

std::vector<Metric> metrics_of(const RunResult& run) {
  MetricList list;
  list.real("step_time_s", run.step().value());
  add_latency(list, run);
  add_breakdown(list, run.report.mean);
  add_shares(list, run);
  add_rates(list, run);
  add_memory(list, run);
  add_counts(list, run);
  return list.take();
}

std::optional<double> metric_value(const RunResult& run, std::string_view name) {
  const std::vector<Metric> metrics = metrics_of(run);
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == name; });
  return found == metrics.end() ? std::nullopt : found->value;
}

std::vector<std::string> metric_names(WorkloadKind kind) {
  RunResult empty;
  empty.scenario.workload.kind = kind;
  std::vector<std::string> names;
  for (Metric& metric : metrics_of(empty)) names.push_back(std::move(metric.name));
  return names;
}

Seconds exposed_time(const MeanParts& parts) {
  Seconds sum;
  for (const Seconds exposed : parts.exposed) sum += exposed;
  return sum;
}

FlopsPerSecond model_rate_per_gpu(const RunResult& run) { return run.model_flops / (run.step() * run.ranks); }

}  // namespace stepsim
