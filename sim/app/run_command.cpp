#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>

#include "sim/app/clock.h"
#include "sim/app/commands.h"
#include "sim/app/load.h"
#include "sim/app/terminal.h"
#include "sim/base/error.h"
#include "sim/report/format.h"
#include "sim/report/json.h"
#include "sim/report/run_text.h"
#include "sim/studies/expectation.h"

namespace stepsim {
namespace {

/// Empty if it can't be run; the reason has been told.
std::optional<RunResult> run_one(const LoadedScenario& loaded) {
  const WallClock clock;
  try {
    RunResult run = run_study(loaded.scenario);
    run.wall_time = loaded.reading_time + clock.elapsed();
    return run;
  } catch (const SimError& error) {
    spdlog::error("{}: {}", loaded.scenario.file, error.what());
    return std::nullopt;
  }
}

void warn_if_too_large(const RunResult& run) {
  if (run.fits()) return;
  const Bytes missing = run.memory.total() - run.scenario.accelerator.memory_capacity;
  spdlog::warn("{}: stage {} does not fit in memory, {} bytes are missing", run.scenario.file, run.memory_stage,
               in_thousands(static_cast<std::uint64_t>(missing.value())));
}

std::string text_of(const std::vector<RunResult>& runs) {
  std::string text;
  for (const RunResult& run : runs) {
    if (!text.empty()) text += "\n";
    text += run_text(run, stdout_style());
  }
  return text;
}

bool all_expectations_hold(const std::vector<RunResult>& runs) {
  bool all = true;
  for (const RunResult& run : runs) {
    for (const ExpectResult& result : check_expectations(run)) {
      if (result.holds) continue;
      all = false;
      const std::string simulated = result.simulated ? fmt::format("{:.9g}", *result.simulated) : "nothing";
      spdlog::error("{}:{}: expected {} to be {}, simulated {}", run.scenario.file, result.expected.where.line,
                    result.expected.metric, in_words(result.expected), simulated);
    }
  }
  return all;
}

}  // namespace

ExitStatus run_command(const CommandLine& line) {
  const auto loaded = load_scenarios(line);
  if (!loaded) return kScenarioWrong;
  std::vector<RunResult> runs;
  for (const LoadedScenario& one : *loaded) {
    if (std::optional<RunResult> run = run_one(one)) runs.push_back(std::move(*run));
  }
  if (runs.size() < loaded->size()) return kScenarioWrong;
  for (const RunResult& run : runs) warn_if_too_large(run);
  print(line.json ? run_json(runs) : text_of(runs));
  return all_expectations_hold(runs) ? kDone : kExpectationFailed;
}

}  // namespace stepsim
