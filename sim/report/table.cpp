#include "sim/report/table.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/report/format.h"

namespace stepsim {
namespace {

void append_cell(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::size_t columns = columns_of(cell);
  const std::string padding(columns < width ? width - columns : 0, ' ');
  line += align == Align::right ? padding + cell : cell + padding;
}

void cut_trailing_spaces(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(columns_of(column.heading));
  for (const auto& row : rows_) {
    sim_assert(row.size() == columns_.size(), "a table row must have a cell for each column");
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

std::string TextTable::text(int indent) const {
  const std::vector<std::size_t> width = widths();
  std::string all;
  const auto add_line = [&](const auto& cell_at) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      append_cell(line, cell_at(i), width[i], columns_[i].align);
    }
    cut_trailing_spaces(line);
    all += line;
    all += '\n';
  };
  add_line([&](std::size_t i) { return columns_[i].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return all;
}

}  // namespace stepsim
