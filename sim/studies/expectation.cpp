#include "sim/studies/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/studies/metrics.h"

namespace stepsim {
namespace {

double slack(const Expectation& expected, double bound) {
  return expected.relative ? expected.tolerance * std::abs(bound) : expected.tolerance;
}

bool holds(const Expectation& expected, double value) {
  const auto above = [&](double bound) { return value >= bound - slack(expected, bound); };
  const auto below = [&](double bound) { return value <= bound + slack(expected, bound); };
  if (expected.equals && !(above(*expected.equals) && below(*expected.equals))) return false;
  if (expected.at_least && !above(*expected.at_least)) return false;
  if (expected.at_most && !below(*expected.at_most)) return false;
  return !expected.between || (above(expected.between->first) && below(expected.between->second));
}

std::string tolerance_in_words(const Expectation& expected) {
  if (expected.tolerance == 0) return "";
  return expected.relative ? fmt::format(" +- {:.4g} %", expected.tolerance * 100)
                           : fmt::format(" +- {:.6g}", expected.tolerance);
}

std::string help_for(const std::string& metric, const std::vector<std::string>& names) {
  const std::string near = nearest(metric, names);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return fmt::format("metrics have the names of the JSON report, such as {}, {} or {}", names[0], names[1],
                     "breakdown_s.exposed.tp");
}

}  // namespace

std::vector<ExpectResult> check_expectations(const RunResult& run) {
  std::vector<ExpectResult> results;
  for (const Expectation& expected : run.scenario.expect) {
    const std::optional<double> value = metric_value(run, expected.metric);
    results.push_back({.expected = expected, .simulated = value, .holds = value && holds(expected, *value)});
  }
  return results;
}

bool all_hold(const std::vector<ExpectResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const ExpectResult& result) { return result.holds; });
}

std::string in_words(const Expectation& expected) {
  std::string text;
  const auto add = [&](const std::string& part) { text += text.empty() ? part : ", " + part; };
  if (expected.equals) add(fmt::format("{:.6g}", *expected.equals));
  if (expected.at_least) add(fmt::format("at least {:.6g}", *expected.at_least));
  if (expected.at_most) add(fmt::format("at most {:.6g}", *expected.at_most));
  if (expected.between) add(fmt::format("{:.6g} to {:.6g}", expected.between->first, expected.between->second));
  return text + tolerance_in_words(expected);
}

std::vector<MeasuredResult> compare_with_measured(const RunResult& run) {
  std::vector<MeasuredResult> results;
  for (const Measurement& measured : run.scenario.measured) {
    MeasuredResult result{.measured = measured, .simulated = metric_value(run, measured.metric), .difference = {}};
    if (result.simulated && measured.value != 0) {
      result.difference = (*result.simulated - measured.value) / measured.value;
    }
    results.push_back(std::move(result));
  }
  return results;
}

Diagnostics check_metric_names(const Scenario& scenario) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = metric_names(scenario.workload.kind);
  const auto check = [&](const std::string& metric, const SourceSpan& where) {
    if (std::find(names.begin(), names.end(), metric) != names.end()) return;
    diagnostics.error(where, fmt::format("a run of this kind has no metric '{}'", metric), help_for(metric, names));
  };
  for (const Expectation& expected : scenario.expect) check(expected.metric, expected.where);
  for (const Measurement& measured : scenario.measured) {
    check(measured.metric, {.file = scenario.file, .line = 0, .column = 0, .length = 1});
  }
  return diagnostics;
}

}  // namespace stepsim
