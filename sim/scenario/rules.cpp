#include "sim/scenario/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "sim/base/parse_quantity.h"

namespace stepsim::rules {
namespace {

/// A scalar read by one of the parsers of sim/base.
template <class V, class Parse>
std::optional<V> parse_scalar(const YamlNode& node, const Shape& shape, Reader& reader, Parse parse) {
  if (!node.is_scalar()) {
    reader.expected(node, describe(shape));
    return std::nullopt;
  }
  auto parsed = parse(node.text);
  if (parsed.value) return V(*parsed.value);
  reader.error(node, parsed.problem, fmt::format("expected {}", describe(shape)));
  return std::nullopt;
}

template <class V, class Parse>
Rule<V> quantity(Shape::Kind kind, Parse parse) {
  const Shape shape{.kind = kind};
  return {shape,
          [shape, parse](const YamlNode& node, Reader& reader) { return parse_scalar<V>(node, shape, reader, parse); }};
}

bool in_bounds(double value, const YamlNode& node, const Shape& shape, Reader& reader) {
  if (value >= shape.minimum && value <= shape.maximum) return true;
  reader.expected(node, describe(shape));
  return false;
}

/// As quantity(), with bounds.
template <class V, class Parse>
Rule<V> bounded(Shape shape, Parse parse) {
  return {shape, [shape, parse](const YamlNode& node, Reader& reader) -> std::optional<V> {
            const auto value = parse_scalar<double>(node, shape, reader, parse);
            if (!value || !in_bounds(*value, node, shape, reader)) return std::nullopt;
            return static_cast<V>(*value);
          }};
}

constexpr const char* kTokens = "tokens";

Parsed<double> parse_tokens(std::string_view text) {
  const std::size_t unit = text.rfind(kTokens);
  if (unit == std::string_view::npos || unit + std::string_view(kTokens).size() != text.size())
    return {std::nullopt, "the unit 'tokens' is missing"};
  std::string_view head = text.substr(0, text.find_last_not_of(' ', unit == 0 ? 0 : unit - 1) + 1);
  double factor = 1;
  for (const auto& [letter, value] : {std::pair{'k', 1e3}, {'M', 1e6}, {'G', 1e9}}) {
    if (!head.empty() && head.back() == letter) factor = value;
  }
  if (factor > 1) head.remove_suffix(1);
  Parsed<double> parsed = parse_number(head);
  if (parsed.value) *parsed.value *= factor;
  return parsed;
}

}  // namespace

Rule<int> integer(int minimum, int maximum) {
  const Shape shape{
      .kind = Shape::Kind::integer, .minimum = static_cast<double>(minimum), .maximum = static_cast<double>(maximum)};
  return bounded<int>(shape, [](std::string_view text) {
    const Parsed<long long> parsed = parse_integer(text);
    return Parsed<double>{parsed.value ? std::optional(static_cast<double>(*parsed.value)) : std::nullopt,
                          parsed.problem};
  });
}

Rule<double> number(double minimum, double maximum) {
  return bounded<double>(Shape{.kind = Shape::Kind::number, .minimum = minimum, .maximum = maximum}, parse_number);
}

Rule<double> any_number() { return bounded<double>(Shape{.kind = Shape::Kind::number}, parse_number); }

Rule<bool> boolean() {
  const Shape shape{.kind = Shape::Kind::boolean};
  return {shape, [shape](const YamlNode& node, Reader& reader) -> std::optional<bool> {
            if (node.is_scalar() && node.text == "true") return true;
            if (node.is_scalar() && node.text == "false") return false;
            reader.expected(node, describe(shape));
            return std::nullopt;
          }};
}

Rule<std::string> text() {
  const Shape shape{.kind = Shape::Kind::text};
  return {shape, [shape](const YamlNode& node, Reader& reader) -> std::optional<std::string> {
            if (node.is_scalar()) return node.text;
            reader.expected(node, describe(shape));
            return std::nullopt;
          }};
}

Rule<Seconds> time() { return quantity<Seconds>(Shape::Kind::time, parse_time); }
Rule<Bytes> size() { return quantity<Bytes>(Shape::Kind::size, parse_size); }
Rule<BytesPerSecond> bandwidth() { return quantity<BytesPerSecond>(Shape::Kind::bandwidth, parse_bandwidth); }
Rule<FlopsPerSecond> flop_rate() { return quantity<FlopsPerSecond>(Shape::Kind::flop_rate, parse_flop_rate); }

Rule<double> percentage(double minimum, double maximum) {
  return bounded<double>(Shape{.kind = Shape::Kind::percentage, .minimum = minimum, .maximum = maximum},
                         parse_percentage);
}

Rule<Tokens> tokens() {
  const Shape shape{.kind = Shape::Kind::tokens};
  return {shape, [shape](const YamlNode& node, Reader& reader) -> std::optional<Tokens> {
            const auto count = parse_scalar<double>(node, shape, reader, parse_tokens);
            return count ? std::optional(Tokens{*count}) : std::nullopt;
          }};
}

Rule<Dtype> dtype() {
  std::vector<Choice<Dtype>> choices;
  for (const Dtype value :
       {Dtype::fp32, Dtype::tf32, Dtype::bf16, Dtype::fp16, Dtype::fp8, Dtype::mxfp8, Dtype::nvfp4, Dtype::int8}) {
    choices.push_back({std::string(stepsim::name_of(value)), value});
  }
  return choice(std::move(choices));
}

Rule<std::vector<std::pair<std::string, std::string>>> text_map() {
  const Shape shape{.kind = Shape::Kind::map_of, .parts = {text().shape}};
  return {
      shape,
      [shape](const YamlNode& node, Reader& reader) -> std::optional<std::vector<std::pair<std::string, std::string>>> {
        if (!node.is_map()) {
          reader.expected(node, describe(shape));
          return std::nullopt;
        }
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const YamlEntry& entry : node.entries) {
          if (auto value = text().read(entry.value, reader)) pairs.emplace_back(entry.key, *value);
        }
        return pairs;
      }};
}

void report_not_built(const YamlNode& node, const std::string& what, Reader& reader) {
  const SourceSpan& where = node.where;
  reader.not_built.push_back(fmt::format("{}:{}:{}: {} is not built yet", where.file, where.line, where.column, what));
}

void report_bad_choice(const YamlNode& node, const Shape& shape, Reader& reader) {
  const std::string near = node.is_scalar() ? nearest(node.text, shape.choices) : "";
  reader.error(node, fmt::format("expected {}, found {}", describe(shape), describe(node)),
               near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

Rule<YamlNode> raw(Shape shape) {
  return {std::move(shape), [](const YamlNode& node, Reader&) { return std::optional(node); }};
}

}  // namespace stepsim::rules
