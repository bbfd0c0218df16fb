#pragma once
// The kinds of values that fields take: each a Rule, small enough to be combined.

#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/scenario/field_table.h"
#include "workloads/precision.h"

namespace stepsim::rules {

struct Tokens {
  double count = 0;
};

Rule<int> integer(int minimum, int maximum);
Rule<double> number(double minimum, double maximum);
Rule<double> any_number();
Rule<bool> boolean();
Rule<std::string> text();
Rule<Seconds> time();
Rule<Bytes> size();
Rule<BytesPerSecond> bandwidth();
Rule<FlopsPerSecond> flop_rate();
/// A share: "50 %" is 0.5. Bounds are shares too.
Rule<double> percentage(double minimum, double maximum);
Rule<Tokens> tokens();
Rule<Dtype> dtype();
/// Text by key: names that the user chooses.
Rule<std::vector<std::pair<std::string, std::string>>> text_map();

/// Notes that `what` stands in the file and is of a later version: exit status 2 where the file has no error.
void report_not_built(const YamlNode& node, const std::string& what, Reader& reader);
/// "expected one of …, found …" with the nearest.
void report_bad_choice(const YamlNode& node, const Shape& shape, Reader& reader);

template <class V>
struct Choice {
  std::string name;
  V value;
  bool built = true;
};

template <class V>
Rule<V> choice(std::vector<Choice<V>> choices) {
  Shape shape{.kind = Shape::Kind::choice};
  for (const Choice<V>& item : choices) shape.choices.push_back(item.name);
  return {shape, [choices = std::move(choices), shape](const YamlNode& node, Reader& reader) -> std::optional<V> {
            for (const Choice<V>& item : choices) {
              if (!node.is_scalar() || item.name != node.text) continue;
              if (!item.built) report_not_built(node, item.name, reader);
              return item.value;
            }
            report_bad_choice(node, shape, reader);
            return std::nullopt;
          }};
}

/// Some values of a list can be wrong: all of them are looked at.
template <class V>
std::optional<std::vector<V>> read_items(const std::vector<YamlNode>& items, const Rule<V>& rule, Reader& reader) {
  std::vector<V> values;
  for (const YamlNode& item : items) {
    if (std::optional<V> value = rule.read(item, reader)) values.push_back(std::move(*value));
  }
  if (values.size() != items.size()) return std::nullopt;
  return values;
}

/// A list with at least one item.
template <class V>
Rule<std::vector<V>> list_of(Rule<V> rule) {
  Shape shape{.kind = Shape::Kind::list, .parts = {rule.shape}};
  return {shape,
          [rule = std::move(rule), shape](const YamlNode& node, Reader& reader) -> std::optional<std::vector<V>> {
            if (node.is_list() && !node.items.empty()) return read_items(node.items, rule, reader);
            reader.expected(node, node.is_list() ? "at least one item in the list" : describe(shape));
            return std::nullopt;
          }};
}

/// A list of exactly two.
template <class V>
Rule<std::vector<V>> pair_of(Rule<V> rule) {
  Rule<std::vector<V>> list = list_of(std::move(rule));
  Shape shape = list.shape;
  shape.minimum = shape.maximum = 2;
  return {shape, [list](const YamlNode& node, Reader& reader) -> std::optional<std::vector<V>> {
            if (node.is_list() && node.items.size() == 2) return list.read(node, reader);
            reader.expected(node, "a list of two");
            return std::nullopt;
          }};
}

/// A list, or a single value for a list of one.
template <class V>
Rule<std::vector<V>> one_or_more(Rule<V> rule) {
  Rule<std::vector<V>> list = list_of(rule);
  Shape shape{.kind = Shape::Kind::any_of, .parts = {rule.shape, list.shape}};
  return {shape, [rule = std::move(rule), list](const YamlNode& node, Reader& reader) -> std::optional<std::vector<V>> {
            if (node.is_list()) return list.read(node, reader);
            std::optional<V> value = rule.read(node, reader);
            return value ? std::optional(std::vector<V>{std::move(*value)}) : std::nullopt;
          }};
}

/// A map with a field table of its own. The section lives as long as the program.
template <class V>
Rule<V> section(const Section<V>& table) {
  return {Shape{.kind = Shape::Kind::section, .section = &table.info()},
          [&table](const YamlNode& node, Reader& reader) -> std::optional<V> {
            V value{};
            table.read(value, node, reader);
            return value;
          }};
}

/// As section(), for values that keep their place.
template <class V>
Rule<V> placed(const Section<V>& table) {
  Rule<V> plain = section(table);
  return {plain.shape, [plain](const YamlNode& node, Reader& reader) {
            std::optional<V> value = plain.read(node, reader);
            if (value) value->where = node.where;
            return value;
          }};
}

/// A value kept as it stands, to be read later by a section or rule that needs more context.
Rule<YamlNode> raw(Shape shape);

}  // namespace stepsim::rules
