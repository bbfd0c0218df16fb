#pragma once
// `expect:` and `measured:` held against a run.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/studies/run_study.h"

namespace stepsim {

struct ExpectResult {
  Expectation expected;
  std::optional<double> simulated;
  bool holds = false;
};

/// A metric without a value never holds.
std::vector<ExpectResult> check_expectations(const RunResult& run);
bool all_hold(const std::vector<ExpectResult>& results);

/// "at least 0.5", "0.272727 +- 0.0001": what was asked for, in words.
std::string in_words(const Expectation& expected);

struct MeasuredResult {
  Measurement measured;
  std::optional<double> simulated;
  std::optional<double> difference;  ///< (simulated - measured) / measured
};
std::vector<MeasuredResult> compare_with_measured(const RunResult& run);

/// Errors for metrics of `expect:` and `measured:` that no run of this kind has.
Diagnostics check_metric_names(const Scenario& scenario);

}  // namespace stepsim
