#include "sim/report/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/studies/expectation.h"
#include "sim/studies/metrics.h"

namespace stepsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<Axis, kAxes> kAxisOrder{Axis::tp, Axis::cp, Axis::pp, Axis::dp, Axis::ep};

Json value_of(const Metric& metric) {
  if (!metric.value || !std::isfinite(*metric.value)) return nullptr;
  if (metric.kind == MetricKind::truth) return *metric.value != 0;
  if (metric.kind == MetricKind::whole) return static_cast<std::int64_t>(std::llround(*metric.value));
  return *metric.value;
}

/// "a.b.c" as a place in nested objects.
Json::json_pointer place_of(const std::string& name) {
  std::string path = name;
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer(path.insert(0, "/"));
}

Json parts_document(const MeanParts& parts) {
  Json exposed = Json::object();
  for (const Axis axis : kAxisOrder) exposed[name_of(axis)] = parts.exposed[static_cast<std::size_t>(axis)].value();
  return {{"compute", parts.compute.value()},
          {"exposed", exposed},
          {"bubble", parts.bubble.value()},
          {"peer_wait", parts.peer_wait.value()},
          {"host", parts.host.value()}};
}

void add_metrics(Json& document, const RunResult& run) {
  for (const Metric& metric : metrics_of(run)) {
    document[place_of(metric.name)] = value_of(metric);
    if (metric.name == "breakdown_s.host") {
      document["stages"] = Json::array();
      for (const MeanParts& stage : run.report.stages) document["stages"].push_back(parts_document(stage));
    }
  }
}

Json layout_document(const Layout& layout) {
  return {{"tp", layout.tp},
          {"cp", layout.cp},
          {"pp", layout.pp},
          {"dp", layout.dp},
          {"ep", layout.ep},
          {"etp", layout.etp},
          {"virtual_stages", layout.virtual_stages},
          {"sequence_parallel", layout.sequence_parallel}};
}

Json links_document(const StepReport& report) {
  Json links = Json::object();
  for (const Axis axis : kAxisOrder) {
    const AxisLinks& used = report.axes[static_cast<std::size_t>(axis)];
    if (!used.used) continue;
    links[name_of(axis)] = {{"group_size", used.group_size},       {"link_classes", used.link_classes},
                            {"crosses_level", used.crosses_level}, {"payload_bytes", used.payload.value()},
                            {"sent_bytes", used.sent.value()},     {"busy_s", used.busy.value()}};
  }
  return links;
}

Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json measured_document(const RunResult& run) {
  Json all = Json::array();
  for (const MeasuredResult& result : compare_with_measured(run)) {
    all.push_back({{"metric", result.measured.metric},
                   {"simulated", optional_number(result.simulated)},
                   {"measured", result.measured.value},
                   {"difference", optional_number(result.difference)},
                   {"source", result.measured.source}});
  }
  return all;
}

Json expect_document(const RunResult& run) {
  Json all = Json::array();
  for (const ExpectResult& result : check_expectations(run)) {
    all.push_back({{"metric", result.expected.metric},
                   {"simulated", optional_number(result.simulated)},
                   {"expected", in_words(result.expected)},
                   {"holds", result.holds}});
  }
  return all;
}

Json assumptions_document(const Scenario& scenario) {
  Json all = Json::array();
  for (const auto* list : {&scenario.assumptions, &scenario.accelerator.assumptions}) {
    for (const std::string& text : *list) {
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
    }
  }
  return all;
}

Json run_document(const RunResult& run) {
  const Scenario& scenario = run.scenario;
  Json document = {{"title", scenario.title}, {"seed", scenario.simulation.seed}};
  add_metrics(document, run);
  document["file"] = scenario.file;
  document["model"] = scenario.model.name;
  document["cluster"] = scenario.cluster.name;
  document["accelerator"] = scenario.accelerator.name;
  document["layout"] = layout_document(scenario.layout);
  document["recompute"] = run.recompute_used;
  document["memory_stage"] = run.memory_stage;
  document["links"] = links_document(run.report);
  document["measured"] = measured_document(run);
  document["expect"] = expect_document(run);
  document["assumptions"] = assumptions_document(scenario);
  return document;
}

/// With line breaks and a newline at the end; text that is not UTF-8 is replaced, never thrown on.
std::string dump(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json compared_document(const ComparedLayout& layout, const ComparedLayout& best, std::size_t rank) {
  Json document = {{"rank", rank},
                   {"label", layout.label},
                   {"slower_than_best", layout.run.step() / best.run.step() - 1},
                   {"difference_to_best_s", parts_document(difference(layout.run.report.mean, best.run.report.mean))}};
  document.update(run_document(layout.run));
  return document;
}

Json setting_document(const StressSetting& setting) {
  return {{"seq_len", setting.seq_len},
          {"hop_bandwidth", setting.hop_bandwidth},
          {"causal_balance", name_of(setting.causal_balance)},
          {"hop_sync", name_of(setting.hop_sync)},
          {"kernel_jitter_sigma", setting.kernel_jitter},
          {"hop_jitter_sigma", setting.hop_jitter},
          {"slowdown", setting.slowdown}};
}

Json spread_document(const Spread& spread, const char* bad_end) {
  return {{"mean", spread.mean}, {bad_end, spread.bad}};
}

Json point_document(const StressPoint& point) {
  Json document = setting_document(point.setting);
  document["seeds"] = point.seeds;
  document["hop_time_s"] = point.hop.value();
  document["block_time_s"] = point.block.value();
  document["margin"] = spread_document(point.margin, "p5");
  document["hidden_fraction"] = spread_document(point.hidden, "p5");
  document["exposed_cp_s"] = spread_document(point.exposed_cp_s, "p95");
  document["step_time_s"] = spread_document(point.step_s, "p95");
  return document;
}

Json threshold_document(const StressThreshold& threshold) {
  Json setting = setting_document(threshold.setting);
  setting.erase(threshold.key);
  return {{"find", threshold.key},
          {"simulated", optional_number(threshold.simulated)},
          {"closed_form", optional_number(threshold.closed_form)},
          {"note", threshold.note},
          {"at", setting}};
}

}  // namespace

std::string run_json(const std::vector<RunResult>& runs) {
  if (runs.size() == 1) return dump(run_document(runs.front()));
  Json all = Json::array();
  for (const RunResult& run : runs) all.push_back(run_document(run));
  return dump(all);
}

std::string compare_json(const Comparison& comparison) {
  Json ranked = Json::array();
  for (const ComparedLayout& layout : comparison.ranked) {
    ranked.push_back(compared_document(layout, comparison.ranked.front(), ranked.size() + 1));
  }
  return dump({{"ranked", ranked}});
}

std::string stress_json(const StressResult& result) {
  Json points = Json::array(), thresholds = Json::array();
  for (const StressPoint& point : result.points) points.push_back(point_document(point));
  for (const StressThreshold& threshold : result.thresholds) thresholds.push_back(threshold_document(threshold));
  return dump({{"title", result.scenario.title},
               {"seed", result.scenario.simulation.seed},
               {"ring_link_classes", result.ring_classes},
               {"points", points},
               {"thresholds", thresholds}});
}

}  // namespace stepsim
