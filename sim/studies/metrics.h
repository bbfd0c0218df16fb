#pragma once
// The numbers of a run by their stable names (design.md section 7): one list for JSON, `expect:` and `measured:`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/studies/run_study.h"

namespace stepsim {

enum class MetricKind { real, whole, truth };

/// One number; nested JSON keys are joined by dots: "breakdown_s.exposed.dp". In SI units, or as the name says.
struct Metric {
  std::string name;
  MetricKind kind = MetricKind::real;
  std::optional<double> value;  ///< empty where the run has none (share hidden of an axis that sent nothing)
};

/// All numbers of a run, in the order of the JSON document.
std::vector<Metric> metrics_of(const RunResult& run);
/// Empty if there is no metric of this name, or it has no value in this run.
std::optional<double> metric_value(const RunResult& run, std::string_view name);
/// The names that a run of this kind has.
std::vector<std::string> metric_names(WorkloadKind kind);

/// Sum of the exposed times of all axes.
Seconds exposed_time(const MeanParts& parts);
FlopsPerSecond model_rate_per_gpu(const RunResult& run);

}  // namespace stepsim
