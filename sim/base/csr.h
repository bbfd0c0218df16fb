#pragma once
// Compressed sparse rows: a list of lists in two flat arrays.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepsim {

/// Row r holds the items [offsets[r], offsets[r+1]). Rows are appended in order and then never change.
template <class T>
class Csr {
 public:
  void add_item(T item) { items_.push_back(std::move(item)); }
  /// Ends the row that add_item filled; the next item starts a new one.
  void end_row() { offsets_.push_back(static_cast<std::uint32_t>(items_.size())); }
  void add_row(std::span<const T> row) {
    items_.insert(items_.end(), row.begin(), row.end());
    end_row();
  }

  [[nodiscard]] std::size_t rows() const { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t items() const { return items_.size(); }
  [[nodiscard]] std::span<const T> row(std::size_t r) const {
    return std::span<const T>(items_).subspan(offsets_[r], offsets_[r + 1] - offsets_[r]);
  }

 private:
  std::vector<std::uint32_t> offsets_{0};
  std::vector<T> items_;
};

}  // namespace stepsim
