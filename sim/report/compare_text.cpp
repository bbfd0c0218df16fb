#include "sim/report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/report/format.h"
#include "sim/report/parts.h"
#include "sim/report/run_sections.h"
#include "sim/report/table.h"
#include "sim/studies/metrics.h"

namespace stepsim {
namespace {

constexpr int kBarWidth = 60;

std::string memory_cell(const RunResult& run) {
  return in_memory(run.memory.total()) + (run.fits() ? "" : " (does not fit)");
}

std::string ranking_table(const Comparison& comparison) {
  TextTable table({{"rank", Align::right},
                   {"layout", Align::left},
                   {"step", Align::right},
                   {"to the best", Align::right},
                   {"tokens/s/GPU", Align::right},
                   {"memory of a GPU", Align::left}});
  const Seconds best = comparison.ranked.front().run.step();
  int rank = 0;
  for (const ComparedLayout& layout : comparison.ranked) {
    const RunResult& run = layout.run;
    table.add_row({fmt::format("{}", ++rank), layout.label, in_time(run.step()),
                   in_signed_percent(run.step() / best - 1),
                   significant(metric_value(run, "tokens_per_s_per_gpu").value_or(0), 4), memory_cell(run)});
  }
  return table.text();
}

/// Bars share one scale, the slowest step.
std::string bars(const Comparison& comparison, const TextStyle& style) {
  const Seconds slowest = comparison.ranked.back().run.step();
  std::string text;
  int rank = 0;
  for (const ComparedLayout& layout : comparison.ranked) {
    const std::vector<BarPart> parts = bar_parts(named_parts(layout.run.report.mean), slowest);
    text += fmt::format("  {:>4}  {} {}\n", ++rank, bar(parts, kBarWidth, style), in_time(layout.run.step()));
  }
  return text;
}

/// Parts that take time in at least one layout, by index.
std::vector<std::size_t> used_parts(const Comparison& comparison) {
  std::vector<std::size_t> used;
  const std::size_t count = named_parts({}).size();
  for (std::size_t part = 0; part < count; ++part) {
    const auto takes_time = [&](const ComparedLayout& layout) {
      return named_parts(layout.run.report.mean)[part].time > Seconds(0);
    };
    if (std::any_of(comparison.ranked.begin(), comparison.ranked.end(), takes_time)) used.push_back(part);
  }
  return used;
}

std::string parts_table(const Comparison& comparison, const TextStyle& style) {
  const std::vector<std::size_t> used = used_parts(comparison);
  std::vector<TextTable::Column> columns{{"rank", Align::right}};
  for (const std::size_t part : used) {
    const NamedPart named = named_parts({})[part];
    columns.push_back({fmt::format("{} {}", named.letter, named.name), Align::right});
  }
  TextTable table(std::move(columns));
  int rank = 0;
  for (const ComparedLayout& layout : comparison.ranked) {
    std::vector<std::string> row{fmt::format("{}", ++rank)};
    for (const std::size_t part : used) row.push_back(in_time(named_parts(layout.run.report.mean)[part].time));
    table.add_row(std::move(row));
  }
  return heading("Where each step goes", style) + " (mean of all ranks)\n" + table.text();
}

/// "+0.65 s: bubble +0.40 s, compute +0.30 s, exposed tp -0.05 s", the largest part first; parts under 1 % of the
/// largest are left out.
std::string why_slower(const ComparedLayout& layout, const ComparedLayout& best) {
  std::vector<NamedPart> parts = named_parts(difference(layout.run.report.mean, best.run.report.mean));
  const auto size = [](const NamedPart& part) { return std::max(part.time, -part.time); };
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  std::string text = in_signed_time(layout.run.step() - best.run.step()) + ":";
  const Seconds least = size(parts.front()) * 0.01;
  for (const NamedPart& part : parts) {
    if (size(part) <= least) continue;
    text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", part.name, in_signed_time(part.time));
  }
  return text;
}

std::string reasons(const Comparison& comparison, const TextStyle& style) {
  if (comparison.ranked.size() < 2) return "";
  std::string text = "\n" + heading("Why the others are slower than the best", style) + "\n";
  for (std::size_t i = 1; i < comparison.ranked.size(); ++i) {
    const std::string why = why_slower(comparison.ranked[i], comparison.ranked.front());
    text += wrap(fmt::format("  {:>4}  ", i + 1), why);
  }
  return text;
}

}  // namespace

std::string compare_text(const Comparison& comparison, const TextStyle& style) {
  const RunResult& first = comparison.ranked.front().run;
  std::string text = heading(first.scenario.title, style) + "\n\n";
  text += ranking_table(comparison) + "\n" + bars(comparison, style) + "\n";
  return text + parts_table(comparison, style) + reasons(comparison, style);
}

}  // namespace stepsim
