// How fast is a run: from YAML to report, and the engine alone for each op? Not a timed test; see docs/ for quoted
// ratios. Build the target stepsim_bench and run it on a machine with nothing else to do.

#include <benchmark/benchmark.h>

#include "sim/base/error.h"
#include "sim/report/json.h"
#include "sim/report/run_text.h"
#include "sim/scenario/read_scenario.h"
#include "sim/studies/play.h"

namespace stepsim {
namespace {

constexpr const char* kRoot = STEPSIM_SOURCE_DIR "/scenarios";

Scenario read(const std::string& study) {
  ScenarioResult result = read_scenario(std::string(kRoot) + "/studies/" + study, {.root = kRoot});
  if (!result.scenario) throw SimError(render_all(result));
  return std::move(*result.scenario);
}

/// Everything that `stepsim run FILE` and `stepsim run --json FILE` do, but for starting the program.
void yaml_to_report(benchmark::State& state, const char* study) {
  for (auto _ : state) {
    const RunResult run = run_study(read(study));
    benchmark::DoNotOptimize(run_text(run, {.color = false}));
    benchmark::DoNotOptimize(run_json({run}));
  }
}

/// simulate() alone, and simulate() with account(): ns for each op of the actors that ran.
void engine(benchmark::State& state, const char* study, bool fold, bool with_accounting) {
  Scenario scenario = read(study);
  scenario.simulation.fold = fold;
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  const StepGraph graph = graph_of(scenario, fabric->devices());
  const Machine machine{.fabric = *fabric, .accelerator = scenario.accelerator, .stack = scenario.stack};
  std::uint64_t ops = 0;
  for (auto _ : state) {
    const Timeline timeline = simulate(graph, machine, scenario.simulation, scenario.perturb);
    if (with_accounting) benchmark::DoNotOptimize(account(graph, machine, timeline));
    for (const Actor& actor : timeline.actors) ops += actor.times.size();
  }
  using benchmark::Counter;
  state.counters["time_per_op"] = Counter(static_cast<double>(ops), Counter::kIsRate | Counter::kInvert);
}

void lowering(benchmark::State& state, const char* study) {
  const Scenario scenario = read(study);
  const std::unique_ptr<Fabric> fabric = fabric_of(scenario);
  for (auto _ : state) benchmark::DoNotOptimize(graph_of(scenario, fabric->devices()));
}

constexpr const char* k405b = "train-llama3-405b-16k.yaml";
constexpr const char* kPrefill = "prefill-llama3-405b-cp4.yaml";

BENCHMARK_CAPTURE(yaml_to_report, llama3_405b_16k, k405b)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lowering, llama3_405b_16k, k405b)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, llama3_405b_16k_folded, k405b, true, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, llama3_405b_16k_folded_accounted, k405b, true, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, prefill_cp4_every_rank, kPrefill, false, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, prefill_cp4_every_rank_accounted, kPrefill, false, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim

BENCHMARK_MAIN();
