#pragma once
// A run made by hand, with round numbers: two stages of 10 s, 4 ranks.

#include "sim/studies/run_study.h"

namespace stepsim {

inline std::array<Seconds, kAxes> exposed_of(double tp, double cp, double dp, double pp) {
  std::array<Seconds, kAxes> exposed{};
  exposed[static_cast<std::size_t>(Axis::tp)] = Seconds(tp);
  exposed[static_cast<std::size_t>(Axis::cp)] = Seconds(cp);
  exposed[static_cast<std::size_t>(Axis::dp)] = Seconds(dp);
  exposed[static_cast<std::size_t>(Axis::pp)] = Seconds(pp);
  return exposed;
}

inline Scenario sample_scenario() {
  Scenario scenario;
  scenario.file = "sample.yaml";
  scenario.title = "A sample";
  scenario.model.name = "tiny";
  scenario.cluster.name = "two-nodes";
  scenario.accelerator.name = "chip";
  scenario.accelerator.peak[Dtype::bf16] = FlopsPerSecond(100e12);
  scenario.accelerator.memory_capacity = Bytes(80.0 * 1073741824.0);
  scenario.accelerator.assumptions = {"memory efficiency 0.85 is assumed"};
  scenario.assumptions = {"latency of the switch is assumed"};
  scenario.layout.tp = 2;
  scenario.layout.pp = 2;
  scenario.workload.seq_len = 4096;
  scenario.workload.global_batch = 8;
  scenario.expect.push_back({.metric = "bubble_fraction",
                             .equals = 0.15,
                             .at_least = {},
                             .at_most = {},
                             .between = {},
                             .tolerance = 0.01,
                             .relative = false,
                             .where = {}});
  scenario.measured.push_back({.metric = "step_time_s", .value = 8, .source = "made up, Table 1"});
  return scenario;
}

inline AxisLinks sample_tp_links() {
  AxisLinks links;
  links.used = true;
  links.link_classes = {"nvlink"};
  links.group_size = 2;
  links.busy = Seconds(1.25);
  links.hidden_fraction = 0.2;
  links.payload = Bytes(3e9);
  links.sent = Bytes(3e9);
  return links;
}

inline AxisLinks sample_pp_links() {
  AxisLinks links;
  links.used = true;
  links.link_classes = {"nvlink", "ib"};
  links.group_size = 2;
  links.busy = Seconds(0.5);
  links.hidden_fraction = 0.5;
  links.payload = Bytes(2.5e8);
  links.sent = Bytes(2.5e8);
  links.crosses_level = true;
  return links;
}

/// Stage 0: 7 compute, 1 tp, 2 bubble. Stage 1: 8 compute, 1 tp, 0.25 pp, 0.75 bubble. The mean of both is in `mean`.
inline StepReport sample_report() {
  StepReport report;
  report.step = SimTime(10'000'000'000'000);
  const MeanParts first{.compute = Seconds(7),
                        .exposed = exposed_of(1, 0, 0, 0),
                        .bubble = Seconds(2),
                        .peer_wait = {},
                        .host = {},
                        .slowed_by_comm = Seconds(0.5)};
  const MeanParts last{.compute = Seconds(8),
                       .exposed = exposed_of(1, 0, 0, 0.25),
                       .bubble = Seconds(0.75),
                       .peer_wait = {},
                       .host = {},
                       .slowed_by_comm = Seconds(0.5)};
  report.mean = {.compute = Seconds(7.5),
                 .exposed = exposed_of(1, 0, 0, 0.125),
                 .bubble = Seconds(1.375),
                 .peer_wait = {},
                 .host = {},
                 .slowed_by_comm = Seconds(0.5)};
  report.stages = {first, last};
  report.actors.resize(2);
  report.axes[static_cast<std::size_t>(Axis::tp)] = sample_tp_links();
  report.axes[static_cast<std::size_t>(Axis::pp)] = sample_pp_links();
  report.hardware_flops = Flops(2.4e15);
  report.ops = 1234;
  report.events = 5678;
  return report;
}

inline RunResult sample_run() {
  RunResult run;
  run.scenario = sample_scenario();
  run.report = sample_report();
  run.ranks = 4;
  run.microbatches = 8;
  run.tokens = 8 * 4096;
  run.model_flops = Flops(2e15);
  run.recompute_used = "none";
  const double gib = 1073741824.0;
  run.memory = {.weights = Bytes(10 * gib),
                .gradients = Bytes(10 * gib),
                .optimizer = Bytes(30 * gib),
                .activations = Bytes(20 * gib),
                .kv_cache = Bytes(0),
                .buffers = Bytes(2 * gib)};
  run.memory_stage = 0;
  run.wall_time = Seconds(0.25);
  return run;
}

}  // namespace stepsim
