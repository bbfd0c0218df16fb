#include "sim/scenario/field_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.h"

namespace stepsim {

void report_unknown_key(const SectionInfo& section, const YamlEntry& entry, Reader& reader) {
  std::vector<std::string> keys;
  for (const FieldInfo& field : section.fields) keys.push_back(field.key);
  const std::string near = nearest(entry.key, keys);
  reader.diagnostics.error(entry.where, fmt::format("unknown key '{}' in {}", entry.key, section.name),
                           near.empty() ? fmt::format("{} takes {}", section.name, fmt::join(keys, ", "))
                                        : fmt::format("did you mean '{}'?", near));
}

void report_missing_key(const SectionInfo& section, const FieldInfo& field, const YamlNode& node, Reader& reader) {
  reader.error(node, fmt::format("{} needs the key '{}': {}", section.name, field.key, field.help),
               fmt::format("it is {}", describe(field.shape)));
}

YamlNode default_node(const FieldInfo& field) {
  if (field.default_text.find_first_of("[{") == std::string::npos) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = field.default_text;
    return node;
  }
  Diagnostics findings;
  std::optional<YamlNode> node = parse_yaml(field.default_text, "default of " + field.key, findings);
  sim_assert(node.has_value(), "the default of a field table is not YAML");
  return *std::move(node);
}

}  // namespace stepsim
