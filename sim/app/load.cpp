#include "sim/app/load.h"

#include <fmt/format.h>

#include "sim/app/clock.h"
#include "sim/scenario/read_scenario.h"
#include "sim/studies/expectation.h"

namespace stepsim {
namespace {

/// With the checks that need the names of metrics, which live above sim/scenario.
ScenarioResult read_and_check(const std::string& path, const LibraryPaths& library) {
  ScenarioResult result = read_scenario(path, library);
  if (!result.scenario) return result;
  result.diagnostics.append(check_metric_names(*result.scenario));
  result.diagnostics.sort_by_place();
  if (result.diagnostics.has_errors()) result.scenario.reset();
  return result;
}

}  // namespace

std::optional<std::vector<LoadedScenario>> load_scenarios(const CommandLine& line) {
  std::vector<LoadedScenario> loaded;
  for (const std::string& file : line.files) {
    const WallClock clock;
    ScenarioResult result = read_and_check(file, line.library);
    fmt::print(stderr, "{}", render_all(result));
    if (result.scenario) loaded.push_back({.scenario = std::move(*result.scenario), .reading_time = clock.elapsed()});
  }
  if (loaded.size() < line.files.size()) return std::nullopt;
  return loaded;
}

std::vector<Scenario> scenarios_of(std::vector<LoadedScenario> loaded) {
  std::vector<Scenario> scenarios;
  scenarios.reserve(loaded.size());
  for (LoadedScenario& one : loaded) scenarios.push_back(std::move(one.scenario));
  return scenarios;
}

}  // namespace stepsim
