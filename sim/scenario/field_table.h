#pragma once
// One table for each section of the scenario file: a row for each key. The reader, defaults, bounds, error texts, JSON
// Schema and reference page all come from these rows.

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/scenario/reader.h"
#include "sim/scenario/shape.h"

namespace stepsim {

/// How a value is read: its form for people and schema, and the function that turns a node into it. The function
/// reports what is wrong and then returns nothing.
template <class V>
struct Rule {
  Shape shape;
  std::function<std::optional<V>(const YamlNode&, Reader&)> read;
};

/// What reading a map does apart from its values; see field_table.cpp.
void report_unknown_key(const SectionInfo& section, const YamlEntry& entry, Reader& reader);
void report_missing_key(const SectionInfo& section, const FieldInfo& field, const YamlNode& node, Reader& reader);
/// The default of a field as a node.
YamlNode default_node(const FieldInfo& field);

template <class T>
class Section {
 public:
  using Setter = std::function<void(T&, const YamlNode&, Reader&)>;

  Section(std::string name, std::string help) { info_.name = std::move(name), info_.help = std::move(help); }

  /// The row that was added last, to say what happens where its key is missing.
  class Row {
   public:
    explicit Row(FieldInfo& field) : field_(field) {}
    void required() { field_.required = true; }
    void otherwise(std::string default_text) { field_.default_text = std::move(default_text); }
    void note(std::string default_note) { field_.default_note = std::move(default_note); }

   private:
    FieldInfo& field_;
  };

  /// `into` is a data member of T, or a callable (T&, V).
  template <class Into, class V>
  Row add(std::string key, Into into, Rule<V> rule, std::string help) {
    setters_.push_back([into, read = rule.read](T& target, const YamlNode& node, Reader& reader) {
      std::optional<V> value = read(node, reader);
      if (!value) return;
      if constexpr (std::is_member_object_pointer_v<Into>) {
        target.*into = std::move(*value);
      } else {
        into(target, std::move(*value));
      }
    });
    info_.fields.push_back({std::move(key), std::move(rule.shape), std::move(help), false, "", ""});
    return Row(info_.fields.back());
  }

  /// A row of another table, for a part of T.
  template <class Part>
  void borrow(const Section<Part>& other, const std::string& key, Part T::*part) {
    const std::size_t index = other.index_of(key);
    const auto setter = other.setter(index);
    setters_.push_back(
        [part, setter](T& target, const YamlNode& node, Reader& reader) { setter(target.*part, node, reader); });
    FieldInfo field = other.info().fields[index];
    field.required = false;
    field.default_text.clear();
    field.default_note = "as in " + other.info().name;
    info_.fields.push_back(std::move(field));
  }

  /// Reads a map into `target`; keys that are missing get their defaults.
  void read(T& target, const YamlNode& node, Reader& reader) const {
    if (!node.is_map()) return reader.expected(node, "a map (" + info_.name + ")");
    for (const YamlEntry& entry : node.entries) read_entry(target, entry, reader);
    for (std::size_t i = 0; i < setters_.size(); ++i) {
      if (node.find(info_.fields[i].key) == nullptr) fill_missing(target, i, node, reader);
    }
  }

  [[nodiscard]] const SectionInfo& info() const { return info_; }
  [[nodiscard]] std::size_t index_of(const std::string& key) const {
    std::size_t i = 0;
    while (i < info_.fields.size() && info_.fields[i].key != key) ++i;
    return i;
  }
  [[nodiscard]] const Setter& setter(std::size_t index) const { return setters_[index]; }

 private:
  void read_entry(T& target, const YamlEntry& entry, Reader& reader) const {
    const std::size_t index = index_of(entry.key);
    if (index == setters_.size()) return report_unknown_key(info_, entry, reader);
    const Reader::Scope scope(reader, entry.key);
    reader.note_place(entry);
    const std::size_t findings = reader.diagnostics.all().size();
    setters_[index](target, entry.value, reader);
    if (reader.diagnostics.all().size() != findings) reader.note_broken();
  }
  void fill_missing(T& target, std::size_t index, const YamlNode& node, Reader& reader) const {
    const FieldInfo& field = info_.fields[index];
    if (field.required) return report_missing_key(info_, field, node, reader);
    if (!field.default_text.empty()) setters_[index](target, default_node(field), reader);
  }

  SectionInfo info_;
  std::vector<Setter> setters_;
};

}  // namespace stepsim
