#pragma once
// Columns of text.

#include <string>
#include <vector>

namespace stepsim {

enum class Align { left, right };

/// Rows of equal length under a heading. Columns are as wide as their widest cell, two spaces apart; trailing spaces
/// are cut. Cells may hold UTF-8 but no colour codes, except in the last column.
class TextTable {
 public:
  struct Column {
    std::string heading;
    Align align = Align::right;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Each line ends with a newline and begins with `indent` spaces.
  [[nodiscard]] std::string text(int indent = 2) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stepsim
