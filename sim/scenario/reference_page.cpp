// docs/scenario-reference.md, from the same tables.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/scenario/fields.h"
#include "sim/scenario/schema.h"

namespace stepsim {
namespace {

void collect(const SectionInfo& section, std::vector<const SectionInfo*>& found);

void collect(const Shape& shape, std::vector<const SectionInfo*>& found) {
  if (shape.section != nullptr) collect(*shape.section, found);
  for (const Shape& part : shape.parts) collect(part, found);
}

/// Sections in the order in which the file names them, each once, parents before their parts.
void collect(const SectionInfo& section, std::vector<const SectionInfo*>& found) {
  if (std::find(found.begin(), found.end(), &section) != found.end()) return;
  found.push_back(&section);
  for (const FieldInfo& field : section.fields) collect(field.shape, found);
}

/// A vertical bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.replace(at, 1, "\\|");
  return text;
}

std::string default_of(const FieldInfo& field) {
  if (field.required) return "**required**";
  if (field.default_text == "{}") return "see below";
  return field.default_text.empty() ? field.default_note : fmt::format("`{}`", field.default_text);
}

std::string table_of(const SectionInfo& section) {
  std::string text = fmt::format("## {}\n\n{}\n\n| key | takes | default | what it is |\n|---|---|---|---|\n",
                                 section.name, section.help);
  for (const FieldInfo& field : section.fields) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.key, cell(describe(field.shape)), cell(default_of(field)),
                        cell(field.help));
  }
  return text + "\n";
}

}  // namespace

std::string scenario_reference() {
  std::string text =
      "# Scenario reference\n\n"
      "Made from the field tables of `sim/scenario` by `STEPSIM_UPDATE_GENERATED=1 scenario_test`; a test holds the "
      "two equal. Values "
      "with a\n"
      "dimension carry their unit; unknown and duplicate keys are errors.\n\n";
  std::vector<const SectionInfo*> sections;
  collect(scenario_section().info(), sections);
  for (const SectionInfo* section : sections) text += table_of(*section);
  text.pop_back();
  return text;
}

}  // namespace stepsim
