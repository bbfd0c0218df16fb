#pragma once
// A YAML file as a tree of nodes that know where they stand. Stricter than YAML: keys are plain text and unique;
// anchors, aliases, merge keys, tags and several documents are refused rather than dropped.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"

namespace stepsim {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;                ///< of a scalar, quotes and escapes resolved
  std::vector<YamlNode> items;     ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in the order of the file
  SourceSpan where;

  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }
  /// The entry with this key, nullptr if there is none.
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  SourceSpan where;  ///< of the key
  YamlNode value;
};

/// "a map", "a list", "text 'abc'", "nothing": for error messages.
std::string describe(const YamlNode& node);

/// Limits that keep hostile files from costing more than a moment.
inline constexpr std::size_t kMaxFileBytes = 16u << 20;
inline constexpr std::size_t kMaxLineBytes = 1u << 20;
inline constexpr int kMaxDepth = 32;

/// The one document of `text`. Anything wrong goes to `diagnostics`; then the result is empty.
std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace stepsim
