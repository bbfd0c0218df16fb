// What each axis sent, over which links, and how much of it compute hid.

#include <fmt/format.h>

#include <array>

#include "sim/report/format.h"
#include "sim/report/run_sections.h"
#include "sim/report/table.h"

namespace stepsim {
namespace {

constexpr std::array<Axis, kAxes> kAxisOrder{Axis::tp, Axis::cp, Axis::pp, Axis::dp, Axis::ep};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

std::vector<std::string> row_of(Axis axis, const AxisLinks& links) {
  const bool moved = links.busy > Seconds(0);
  return {name_of(axis),
          fmt::format("{}", links.group_size),
          joined(links.link_classes) + (links.crosses_level ? " (across levels)" : ""),
          in_traffic(links.payload),
          in_traffic(links.sent),
          in_time(links.busy),
          moved ? in_percent(links.hidden_fraction) : "-"};
}

/// TP talks most for each unit of compute, so it belongs inside the fastest level (design.md, section 1).
std::string tp_warning(const RunResult& run, const TextStyle& style) {
  const AxisLinks& tp = run.report.axes[static_cast<std::size_t>(Axis::tp)];
  if (!tp.used || !tp.crosses_level) return "";
  const std::string text = fmt::format("tp groups of {} cross a level: the axis that talks most uses {}.",
                                       tp.group_size, joined(tp.link_classes));
  return fmt::format("  {} {}\n", alarm("warning:", style), text);
}

}  // namespace

std::string links_section(const RunResult& run, const TextStyle& style) {
  TextTable table({{"axis", Align::left},
                   {"group", Align::right},
                   {"links", Align::left},
                   {"payload", Align::right},
                   {"on the wire", Align::right},
                   {"busy", Align::right},
                   {"hidden", Align::right}});
  for (const Axis axis : kAxisOrder) {
    const AxisLinks& links = run.report.axes[static_cast<std::size_t>(axis)];
    if (links.used) table.add_row(row_of(axis, links));
  }
  if (table.empty()) return "";
  return heading("Links", style) + " (for each GPU and step, mean)\n" + table.text() + tp_warning(run, style);
}

}  // namespace stepsim
