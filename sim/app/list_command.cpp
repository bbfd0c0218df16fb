#include <fmt/format.h>

#include <string_view>

#include "sim/app/commands.h"
#include "sim/app/terminal.h"
#include "sim/report/table.h"
#include "sim/scenario/text_file.h"
#include "workloads/schedules/schedule.h"

namespace stepsim {
namespace {

constexpr LibraryKind kKinds[] = {LibraryKind::model, LibraryKind::accelerator, LibraryKind::cluster,
                                  LibraryKind::stack};

/// The comment in the first line of a library file: what it is, in a line.
std::string first_comment(const std::string& path) {
  const TextFile file = read_text_file(path);
  if (!file.text || file.text->empty() || file.text->front() != '#') return "";
  const std::string line = file.text->substr(1, file.text->find('\n') - 1);
  const std::size_t begin = line.find_first_not_of(" #");
  return begin == std::string::npos ? "" : line.substr(begin);
}

TextTable table_of(const std::string& kind) { return TextTable({{kind, Align::left}, {"", Align::left}}); }

std::string library_table(const LibraryPaths& library, LibraryKind kind) {
  TextTable table = table_of(folder_of(kind));
  for (const std::string& name : library_names(library, kind)) {
    table.add_row({name, first_comment(library_file(library, kind, name))});
  }
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
