#include "sim/report/stress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "sim/report/format.h"
#include "sim/report/table.h"

namespace stepsim {
namespace {

/// A key of the sweep as a column.
struct SettingColumn {
  std::string key, heading;
  std::function<std::string(const StressSetting&)> cell;
};

std::vector<SettingColumn> setting_columns() {
  const auto tokens = [](const StressSetting& s) { return in_thousands(static_cast<std::uint64_t>(s.seq_len)); };
  return {{"causal_balance", "balance", [](const StressSetting& s) { return std::string(name_of(s.causal_balance)); }},
          {"hop_sync", "sync", [](const StressSetting& s) { return std::string(name_of(s.hop_sync)); }},
          {"kernel_jitter", "kernel jitter", [](const StressSetting& s) { return in_percent(s.kernel_jitter); }},
          {"hop_jitter", "hop jitter", [](const StressSetting& s) { return in_percent(s.hop_jitter); }},
          {"slowdown", "slow rank", [](const StressSetting& s) { return "x " + significant(s.slowdown, 3); }},
          {"hop_bandwidth", "hop bw", [](const StressSetting& s) { return in_percent(s.hop_bandwidth); }},
          {"seq_len", "tokens", tokens}};
}

/// The keys whose value is not the same everywhere; tokens always.
template <class Row>
std::vector<SettingColumn> swept_columns(const std::vector<Row>& rows, const std::string& left_out) {
  std::vector<SettingColumn> swept;
  for (SettingColumn& column : setting_columns()) {
    if (column.key == left_out) continue;
    const std::string first = column.cell(rows.front().setting);
    const bool differs =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return column.cell(row.setting) != first; });
    if (differs || column.key == "seq_len") swept.push_back(std::move(column));
  }
  return swept;
}

std::vector<TextTable::Column> headings_of(const std::vector<SettingColumn>& columns) {
  std::vector<TextTable::Column> headings;
  headings.reserve(columns.size());
  for (const SettingColumn& column : columns) headings.push_back({column.heading, Align::right});
  return headings;
}

std::vector<std::string> cells_of(const std::vector<SettingColumn>& columns, const StressSetting& setting) {
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const SettingColumn& column : columns) cells.push_back(column.cell(setting));
  return cells;
}

/// Points that differ in bandwidth and tokens only share a table.
bool is_row_key(const SettingColumn& column) { return column.key == "hop_bandwidth" || column.key == "seq_len"; }

/// "balance zigzag, slow rank x 1.20".
std::string name_of_table(const std::vector<SettingColumn>& swept, const StressPoint& point) {
  std::string text;
  for (const SettingColumn& column : swept) {
    if (is_row_key(column)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column.heading, column.cell(point.setting));
  }
  if (point.seeds > 1) text += fmt::format("{}{} seeds", text.empty() ? "" : ", ", point.seeds);
  return text;
}

std::vector<std::string> row_of(const std::vector<SettingColumn>& keys, const StressPoint& point) {
  std::vector<std::string> row = cells_of(keys, point.setting);
  const bool seeds = point.seeds > 1;
  const auto add = [&](std::string cell) { row.push_back(std::move(cell)); };
  add(in_time(point.hop));
  add(in_time(point.block));
  add(in_percent(point.margin.mean));
  if (seeds) add(in_percent(point.margin.bad));
  add(in_percent(point.hidden.mean));
  add(in_time(Seconds(point.exposed_cp_s.mean)));
  add(in_time(Seconds(point.step_s.mean)));
  if (seeds) add(in_time(Seconds(point.step_s.bad)));
  return row;
}

TextTable table_for(const std::vector<SettingColumn>& keys, bool seeds) {
  std::vector<TextTable::Column> columns = headings_of(keys);
  const auto add = [&](const char* name) { columns.push_back({name, Align::right}); };
  add("hop");
  add("block");
  add("margin");
  if (seeds) add("p5");
  add("hidden");
  add("exposed cp");
  add("step");
  if (seeds) add("p95");
  return TextTable(std::move(columns));
}

std::string points_tables(const StressResult& result, const TextStyle& style) {
  const std::vector<SettingColumn> swept = swept_columns(result.points, "");
  std::vector<SettingColumn> keys;
  std::copy_if(swept.begin(), swept.end(), std::back_inserter(keys), is_row_key);
  std::string text;
  for (std::size_t i = 0; i < result.points.size();) {
    const std::string name = name_of_table(swept, result.points[i]);
    TextTable table = table_for(keys, result.points[i].seeds > 1);
    for (; i < result.points.size() && name_of_table(swept, result.points[i]) == name; ++i) {
      table.add_row(row_of(keys, result.points[i]));
    }
    text += "\n" + (name.empty() ? "" : heading(name, style) + "\n") + table.text();
  }
  return text;
}

bool has_seeds(const StressResult& result) {
  return std::any_of(result.points.begin(), result.points.end(), [](const StressPoint& p) { return p.seeds > 1; });
}

std::string threshold_cell(const std::string& key, const std::optional<double>& value) {
  if (!value) return "-";
  if (key == "seq_len" && *value >= 1000) return in_thousands(static_cast<std::uint64_t>(std::llround(*value)));
  return key == "seq_len" ? significant(*value, 4) : significant(*value * 100, 4) + " %";
}

std::string thresholds_table(const std::vector<StressThreshold>& thresholds, const std::string& key) {
  const std::vector<SettingColumn> swept = swept_columns(thresholds, key);
  std::vector<TextTable::Column> columns = headings_of(swept);
  columns.push_back({key == "seq_len" ? "hides from (tokens)" : "hides from (hop bw)", Align::right});
  columns.push_back({"closed form at peak", Align::right});
  TextTable table(std::move(columns));
  for (const StressThreshold& threshold : thresholds) {
    std::vector<std::string> row = cells_of(swept, threshold.setting);
    row.push_back(threshold.simulated ? threshold_cell(key, threshold.simulated) : threshold.note);
    row.push_back(threshold_cell(key, threshold.closed_form));
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string thresholds_section(const StressResult& result, const char* key, const TextStyle& style) {
  std::vector<StressThreshold> of_key;
  for (const StressThreshold& threshold : result.thresholds) {
    if (threshold.key == key) of_key.push_back(threshold);
  }
  if (of_key.empty()) return "";
  return fmt::format("\n{} {}\n{}", heading("Where the hop stops hiding:", style), key, thresholds_table(of_key, key));
}

std::string explanation(const StressResult& result) {
  std::string classes;
  for (const std::string& name : result.ring_classes) classes.append(classes.empty() ? "" : ", ").append(name);
  std::string text = wrap("  ", fmt::format("Hops use links of class {}; hop bw is a share of their nominal bandwidth.",
                                            classes.empty() ? "(none)" : classes));
  text += wrap("  ",
               "hop, block: the ring step with the least room, on the rank that sets the pace. margin: "
               "(block - hop) / block. hidden, exposed cp, step: whole step, mean of all ranks.");
  if (has_seeds(result)) text += wrap("  ", "With jitter: mean over the seeds, and the percentile that hurts.");
  return text;
}

}  // namespace

std::string stress_text(const StressResult& result, const TextStyle& style) {
  std::string text = heading(result.scenario.title, style) + "\n" + explanation(result);
  text += points_tables(result, style);
  text += thresholds_section(result, "seq_len", style);
  return text + thresholds_section(result, "hop_bandwidth", style);
}

}  // namespace stepsim
