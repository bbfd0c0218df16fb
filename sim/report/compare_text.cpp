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

std::vector<std::string> words_of(const std::string& label) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < label.size();) {
    const std::size_t end = std::min(label.find(", ", at), label.size());
    words.push_back(label.substr(at, end - at));
    at = end + 2;
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// What all labels say ("sequence_parallel false") is told once.
std::vector<std::string> common_words(const Comparison& comparison) {
  std::vector<std::string> common;
  if (comparison.ranked.size() < 2) return common;
  for (const std::string& word : words_of(comparison.ranked.front().label)) {
    const auto has = [&](const ComparedLayout& layout) {
      const std::vector<std::string> words = words_of(layout.label);
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (std::all_of(comparison.ranked.begin(), comparison.ranked.end(), has)) common.push_back(word);
  }
  return common;
}

/// The label without the common words; whole where nothing would be left.
std::string own_label(const ComparedLayout& layout, const std::vector<std::string>& common) {
  std::vector<std::string> words = words_of(layout.label);
  const auto is_common = [&](const std::string& word) {
    return std::find(common.begin(), common.end(), word) != common.end();
  };
  words.erase(std::remove_if(words.begin(), words.end(), is_common), words.end());
  return words.empty() ? layout.label : joined(words);
}

std::string notes(const Comparison& comparison, const std::vector<std::string>& common) {
  std::string text;
  if (!common.empty()) text += wrap("  all: ", joined(common));
  const auto is_too_large = [](const ComparedLayout& layout) { return !layout.run.fits(); };
  if (std::any_of(comparison.ranked.begin(), comparison.ranked.end(), is_too_large)) {
    text += "  (!) does not fit in the memory of a GPU\n";
  }
  return text;
}

std::string ranking_table(const Comparison& comparison) {
  TextTable table({{"rank", Align::right},
                   {"layout", Align::left},
                   {"step", Align::right},
                   {"slower", Align::right},
                   {"tokens/s/GPU", Align::right},
                   {"memory", Align::left}});
  const std::vector<std::string> common = common_words(comparison);
  const Seconds best = comparison.ranked.front().run.step();
  int rank = 0;
  for (const ComparedLayout& layout : comparison.ranked) {
    const RunResult& run = layout.run;
    table.add_row({fmt::format("{}", ++rank), own_label(layout, common), in_time(run.step()),
                   rank == 1 ? "" : in_signed_percent(run.step() / best - 1),
                   in_number(metric_value(run, "tokens_per_s_per_gpu").value_or(0)),
                   in_memory(run.memory.total()) + (run.fits() ? "" : " (!)")});
  }
  return table.text() + notes(comparison, common);
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

/// Parts that show in at least one layout (0.05 % of its step), by index.
std::vector<std::size_t> used_parts(const Comparison& comparison) {
  std::vector<std::size_t> used;
  const std::size_t count = named_parts({}).size();
  for (std::size_t part = 0; part < count; ++part) {
    const auto takes_time = [&](const ComparedLayout& layout) {
      return named_parts(layout.run.report.mean)[part].time >= layout.run.step() * 5e-4;
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

/// "bubble +0.40 s", "compute +0.30 s", "exposed tp -0.05 s": the largest first; parts under 1 % of it are left out.
std::vector<std::string> why_slower(const ComparedLayout& layout, const ComparedLayout& best) {
  std::vector<NamedPart> parts = named_parts(difference(layout.run.report.mean, best.run.report.mean));
  const auto size = [](const NamedPart& part) { return std::max(part.time, -part.time); };
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  const Seconds least = size(parts.front()) * 0.01;
  std::vector<std::string> items;
  for (const NamedPart& part : parts) {
    if (size(part) > least) items.push_back(fmt::format("{} {}", part.name, in_signed_time(part.time)));
  }
  return items;
}

std::string reasons(const Comparison& comparison, const TextStyle& style) {
  if (comparison.ranked.size() < 2) return "";
  std::string text = "\n" + heading("Why the others are slower than the best", style) + "\n";
  for (std::size_t i = 1; i < comparison.ranked.size(); ++i) {
    const ComparedLayout& best = comparison.ranked.front();
    const Seconds slower = comparison.ranked[i].run.step() - best.run.step();
    text += wrap_items(fmt::format("  {:>4}  {:>9}:  ", i + 1, in_signed_time(slower)),
                       why_slower(comparison.ranked[i], best));
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
