// What the run is held against, what it assumes, and how it was simulated.

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/format.h"
#include "sim/report/run_sections.h"
#include "sim/report/table.h"
#include "sim/studies/expectation.h"

namespace stepsim {
namespace {

std::string number(const std::optional<double>& value, int digits) { return value ? significant(*value, digits) : "-"; }

/// Of the scenario and of the accelerator, each once.
std::vector<std::string> all_assumptions(const Scenario& scenario) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& text) {
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  };
  for (const std::string& text : scenario.assumptions) add(text);
  for (const std::string& text : scenario.accelerator.assumptions) add(text);
  return all;
}

}  // namespace

std::string measured_section(const RunResult& run, const TextStyle& style) {
  const std::vector<MeasuredResult> results = compare_with_measured(run);
  if (results.empty()) return "";
  TextTable table(
      {{"metric", Align::left}, {"simulated", Align::right}, {"measured", Align::right}, {"difference", Align::right}});
  std::string sources;
  for (const MeasuredResult& result : results) {
    table.add_row({result.measured.metric, result.simulated ? in_number(*result.simulated) : "-",
                   in_number(result.measured.value), result.difference ? in_signed_percent(*result.difference) : "-"});
    if (!result.measured.source.empty()) sources += wrap("  source: ", result.measured.source);
  }
  return heading("Simulated beside measured", style) + "\n" + table.text() + sources;
}

std::string expect_section(const RunResult& run, const TextStyle& style) {
  const std::vector<ExpectResult> results = check_expectations(run);
  if (results.empty()) return "";
  TextTable table({{"metric", Align::left}, {"simulated", Align::right}, {"expected", Align::left}, {"", Align::left}});
  for (const ExpectResult& result : results) {
    table.add_row({result.expected.metric, number(result.simulated, 6), in_words(result.expected),
                   result.holds ? "holds" : alarm("FAILED", style)});
  }
  return heading("Expected", style) + "\n" + table.text();
}

std::string assumptions_section(const RunResult& run, const TextStyle& style) {
  std::string text;
  for (const std::string& assumption : all_assumptions(run.scenario)) text += wrap("  - ", assumption);
  return text.empty() ? "" : heading("Assumptions", style) + " (numbers without a published source)\n" + text;
}

std::string footer_section(const RunResult& run) {
  const StepReport& report = run.report;
  std::string text = fmt::format("{} as {}, {}, {}, seed {}", counted(static_cast<std::uint64_t>(run.ranks), "rank"),
                                 counted(report.actors.size(), "actor"), counted(report.ops, "op"),
                                 counted(report.events, "event"), run.scenario.simulation.seed);
  if (run.wall_time > Seconds(0)) text += fmt::format(", simulated in {}", in_time(run.wall_time));
  return text + "\n";
}

}  // namespace stepsim
