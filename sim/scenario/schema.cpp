#include "sim/scenario/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/scenario/fields.h"

namespace stepsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNumber = R"(^\s*[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*)";

Json matching(const std::string& unit, bool may_be_infinite) {
  const std::string with_unit = kNumber + unit + R"(\s*$)";
  return {{"type", "string"}, {"pattern", may_be_infinite ? R"((^\s*inf\s*$)|()" + with_unit + ")" : with_unit}};
}

/// JSON writes whole bounds without a point.
Json bound(double value) {
  constexpr double kExact = 9e15;
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

Json bounded(Json json, const Shape& shape, const char* low, const char* high) {
  if (std::isfinite(shape.minimum)) json[low] = bound(shape.minimum);
  if (std::isfinite(shape.maximum)) json[high] = bound(shape.maximum);
  return json;
}

/// YAML 1.1 tools read `off` as false.
Json choices_of(const Shape& shape) {
  Json values = shape.choices;
  if (std::find(shape.choices.begin(), shape.choices.end(), "off") != shape.choices.end()) values.push_back(false);
  return {{"enum", values}};
}

/// Writes each section once, under `definitions`.
class SchemaWriter {
 public:
  Json write(const SectionInfo& root) {
    Json schema = object_of(root);
    Json head = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "stepsim scenario"}};
    head.update(schema);
    head["definitions"] = definitions_;
    return head;
  }

 private:
  Json object_of(const SectionInfo& section) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const FieldInfo& field : section.fields) {
      properties[field.key] = property_of(field);
      if (field.required) required.push_back(field.key);
    }
    Json object = {
        {"description", section.help}, {"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) object["required"] = required;
    return object;
  }

  Json property_of(const FieldInfo& field) {
    Json property = {{"description", description_of(field)}};
    Json shape = shape_of(field.shape);
    // Draft-07 ignores what stands beside $ref.
    if (shape.contains("$ref")) shape = {{"allOf", Json::array({shape})}};
    property.update(shape);
    return property;
  }

  static std::string description_of(const FieldInfo& field) {
    const std::string& fallback = field.default_text.empty() ? field.default_note : field.default_text;
    return fallback.empty() || fallback == "{}" ? field.help : field.help + " (default: " + fallback + ")";
  }

  Json shape_of(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::integer:
        return bounded({{"type", "integer"}}, shape, "minimum", "maximum");
      case Shape::Kind::number:
        return bounded({{"type", "number"}}, shape, "minimum", "maximum");
      case Shape::Kind::boolean:
        return {{"type", "boolean"}};
      case Shape::Kind::text:
        return {{"type", {"string", "number", "boolean"}}};
      case Shape::Kind::choice:
        return choices_of(shape);
      case Shape::Kind::time:
        return matching("(ps|ns|us|ms|s)", false);
      case Shape::Kind::size:
        return matching("([kMGTP]|[KMGTP]i)?B", false);
      case Shape::Kind::bandwidth:
        return matching("([kMGTP]|[KMGTP]i)?[Bb]/s", true);
      case Shape::Kind::flop_rate:
        return matching("[kMGTPE]?FLOP/s", true);
      case Shape::Kind::percentage:
        return matching("%", false);
      case Shape::Kind::tokens:
        return matching("[kMG]?\\s*tokens", false);
      case Shape::Kind::list:
        return list_of(shape);
      case Shape::Kind::any_of:
        return alternatives_of(shape);
      case Shape::Kind::section:
        return reference_to(*shape.section);
      case Shape::Kind::map_of:
        return {{"type", "object"}, {"additionalProperties", shape_of(shape.parts.front())}};
    }
    return Json::object();
  }

  Json list_of(const Shape& shape) {
    return bounded({{"type", "array"}, {"items", shape_of(shape.parts.front())}, {"minItems", 1}}, shape, "minItems",
                   "maxItems");
  }

  Json alternatives_of(const Shape& shape) {
    Json parts = Json::array();
    for (const Shape& part : shape.parts) parts.push_back(shape_of(part));
    return {{"anyOf", parts}};
  }

  Json reference_to(const SectionInfo& section) {
    const auto [known, fresh] = names_.emplace(&section, section.name);
    if (fresh) {
      std::replace(known->second.begin(), known->second.end(), ' ', '_');
      while (definitions_.contains(known->second)) known->second += '_';
      const std::string name = known->second;
      definitions_[name] = nullptr;  // keeps its place before the sections it holds
      definitions_[name] = object_of(section);
    }
    return {{"$ref", "#/definitions/" + names_.at(&section)}};
  }

  Json definitions_ = Json::object();
  std::map<const SectionInfo*, std::string> names_;
};

}  // namespace

std::string scenario_schema() { return SchemaWriter().write(scenario_section().info()).dump(2) + "\n"; }

}  // namespace stepsim
