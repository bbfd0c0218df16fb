#include <fmt/format.h>

#include <string_view>

#include "sim/app/commands.h"
#include "sim/app/terminal.h"
#include "sim/report/format.h"
#include "sim/report/table.h"
#include "sim/scenario/read_scenario.h"
#include "sim/scenario/text_file.h"
#include "workloads/schedules/schedule.h"

namespace stepsim {
namespace {

constexpr LibraryKind kKinds[] = {LibraryKind::model, LibraryKind::accelerator, LibraryKind::cluster,
                                  LibraryKind::stack};

std::string describe_model(const LibraryPaths& library, const std::string& name) {
  Diagnostics diagnostics;
  const std::optional<ModelSpec> model = read_library_model(library, name, diagnostics);
  if (!model) return "(can't be read)";
  const ParameterCount count = count_parameters(*model);
  const auto billions = [](std::int64_t parameters) { return significant(static_cast<double>(parameters) / 1e9, 4); };
  std::string text = fmt::format("{} B parameters", billions(count.total));
  if (model->has_moe()) text += fmt::format(", {} B active", billions(count.active));
  return text + fmt::format(", {} layers, hidden {}", model->layers, model->hidden);
}

std::string describe_accelerator(const LibraryPaths& library, const std::string& name) {
  Diagnostics diagnostics;
  const std::optional<Accelerator> chip = read_library_accelerator(library, name, diagnostics);
  if (!chip) return "(can't be read)";
  std::string text;
  for (const auto& [dtype, peak] : chip->peak) {
    if (dtype != Dtype::bf16 && dtype != Dtype::fp8) continue;
    text += fmt::format("{} {} TFLOP/s, ", name_of(dtype), significant(peak.value() / 1e12, 4));
  }
  return text +
         fmt::format("{} at {}/s", in_memory(chip->memory_capacity), in_traffic(Bytes(chip->memory_bandwidth.value())));
}

/// The end of the first sentence: a full stop before a capital letter.
std::size_t sentence_end(std::string_view text) {
  for (std::size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1)) {
    if (at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z') return at;
  }
  return text.size();
}

/// Whole words of `text` that fit beside the longest name.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = kReportWidth - 20;
  if (columns_of(text) <= kMost) return text;
  return text.substr(0, text.rfind(' ', kMost - 4)) + " ...";
}

/// The first sentence of the comment in the first line of a library file.
std::string first_comment(const std::string& path) {
  const TextFile file = read_text_file(path);
  if (!file.text || file.text->empty() || file.text->front() != '#') return "";
  const std::string line = file.text->substr(1, file.text->find('\n') - 1);
  const std::size_t begin = std::min(line.find_first_not_of(" #"), line.size());
  const std::string comment = line.substr(begin);
  return shortened(comment.substr(0, sentence_end(comment)));
}

std::string describe(const LibraryPaths& library, LibraryKind kind, const std::string& name) {
  if (kind == LibraryKind::model) return describe_model(library, name);
  if (kind == LibraryKind::accelerator) return describe_accelerator(library, name);
  return first_comment(library_file(library, kind, name));
}

TextTable table_of(const std::string& kind) { return TextTable({{kind, Align::left}, {"", Align::left}}); }

std::string library_table(const LibraryPaths& library, LibraryKind kind) {
  TextTable table = table_of(folder_of(kind));
  for (const std::string& name : library_names(library, kind)) table.add_row({name, describe(library, kind, name)});
  return table.text(0);
}

std::string schedules_table() {
  TextTable table = table_of("schedules");
  for (const ScheduleInfo& schedule : schedules()) table.add_row({schedule.name, schedule.help});
  return table.text(0);
}

}  // namespace

ExitStatus list_command(const CommandLine& line) {
  const auto wanted = [&](std::string_view kind) { return line.list_kind.empty() || line.list_kind == kind; };
  std::string text;
  const auto add = [&](const std::string& table) { text.append(text.empty() ? "" : "\n").append(table); };
  for (const LibraryKind kind : kKinds) {
    if (wanted(folder_of(kind))) add(library_table(line.library, kind));
  }
  if (wanted("schedules")) add(schedules_table());
  print(text);
  return kDone;
}

}  // namespace stepsim
