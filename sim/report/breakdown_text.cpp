// Where the step goes: one bar for the mean of all ranks, one for each pipeline stage.

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/format.h"
#include "sim/report/parts.h"
#include "sim/report/run_sections.h"
#include "sim/report/table.h"

namespace stepsim {
namespace {

constexpr int kBarWidth = 60;
constexpr int kStageBarWidth = 40;
constexpr std::size_t kMostStageColumns = 4;  // beside a bar in 100 columns

/// Parts that take time on any of the rows, by index.
std::vector<std::size_t> used_parts(const std::vector<MeanParts>& rows) {
  std::vector<std::size_t> used;
  const std::size_t count = named_parts({}).size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto takes_time = [&](const MeanParts& row) { return named_parts(row)[i].time > Seconds(0); };
    if (std::any_of(rows.begin(), rows.end(), takes_time)) used.push_back(i);
  }
  return used;
}

/// The parts that get a column of their own: those with most time over all stages, in their usual order.
std::vector<std::size_t> largest_parts(const std::vector<MeanParts>& stages) {
  std::vector<std::size_t> used = used_parts(stages);
  const auto total = [&](std::size_t i) {
    Seconds sum;
    for (const MeanParts& stage : stages) sum += named_parts(stage)[i].time;
    return sum;
  };
  std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) { return total(a) > total(b); });
  if (used.size() > kMostStageColumns) used.resize(kMostStageColumns);
  std::sort(used.begin(), used.end());
  return used;
}

std::string slowdown_line(const RunResult& run) {
  const MeanParts& mean = run.report.mean;
  if (!(mean.slowed_by_comm > Seconds(0))) return "";
  return fmt::format("  {} of the compute time is slowdown by communication that ran beside it.\n",
                     in_time(mean.slowed_by_comm));
}

}  // namespace

std::string breakdown_section(const RunResult& run, const TextStyle& style) {
  const std::vector<NamedPart> parts = named_parts(run.report.mean);
  const std::vector<BarPart> bars = bar_parts(parts, run.step());
  std::string text = heading("Where the step goes", style) + " (mean of all ranks)\n";
  text += fmt::format("  {}\n", bar(bars, kBarWidth, style));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool always = parts[i].name == "compute" || parts[i].name == "bubble";
    if (!always && !(parts[i].time > Seconds(0))) continue;
    text += fmt::format("  {} {:<11}{:>8}{:>12}\n", key_letter(bars[i], style), parts[i].name,
                        in_percent(bars[i].share), in_time(parts[i].time));
  }
  return text + slowdown_line(run);
}

std::string stages_section(const RunResult& run, const TextStyle& style) {
  const std::vector<MeanParts>& stages = run.report.stages;
  if (stages.size() < 2) return "";
  const std::vector<std::size_t> shown = largest_parts(stages);
  std::vector<TextTable::Column> columns{{"stage", Align::right}};
  for (const std::size_t i : shown) columns.push_back({named_parts({})[i].name, Align::right});
  columns.push_back({"0 s to the end of the step", Align::left});
  TextTable table(std::move(columns));
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::vector<NamedPart> parts = named_parts(stages[stage]);
    std::vector<std::string> row{fmt::format("{}", stage)};
    for (const std::size_t i : shown) row.push_back(in_time(parts[i].time));
    row.push_back(bar(bar_parts(parts, run.step()), kStageBarWidth, style));
    table.add_row(std::move(row));
  }
  return heading("Pipeline stages", style) + "\n" + table.text();
}

}  // namespace stepsim
