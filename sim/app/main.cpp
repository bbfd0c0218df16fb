// Command line, exit status, and the one place where exceptions end.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "sim/app/commands.h"
#include "sim/app/terminal.h"
#include "sim/base/error.h"

namespace stepsim {
namespace {

constexpr const char* kExample =
    "Example:\n"
    "  stepsim run scenarios/studies/train-llama3-405b-16k.yaml\n"
    "  stepsim compare scenarios/studies/compare-39b-a100.yaml --json\n"
    "Exit status: 0 done; 1 the scenario is wrong or can't be run; 2 wrong usage; 3 an `expect:` of the scenario "
    "failed.";

using Command = ExitStatus (*)(const CommandLine&);

/// A command as the user calls it.
struct CommandInfo {
  const char* name;
  const char* help;
  Command command;  ///< null: not built yet
  int least_files, most_files;
};

constexpr int kAnyNumber = 0x7fffffff;
constexpr CommandInfo kCommands[] = {
    {"run", "step time, breakdown, memory and links of a scenario", run_command, 1, kAnyNumber},
    {"compare", "layouts (files, or the layouts: of one) ranked by step time", compare_command, 1, kAnyNumber},
    {"stress", "overlap of ring hops under the sweep in stress:", stress_command, 1, 1},
    {"schema", "JSON Schema of the scenario file", schema_command, 0, 0},
    {"list", "names in the library", list_command, 0, 0},
    {"search", "not built yet: feasible layouts ranked", nullptr, 0, 0},
    {"size", "not built yet: roofline and capacity", nullptr, 0, 0},
    {"validate", "not built yet: scenarios held against measurements", nullptr, 0, 0},
    {"calibrate", "not built yet: parameters from benchmark tables", nullptr, 0, 0},
    {"topology", "not built yet: checks and converts clusters", nullptr, 0, 0},
};

[[noreturn]] void not_built(const std::string& what) { throw NotBuiltError("stepsim " + what + " is not built yet"); }

void add_unbuilt_option(CLI::App& command, const char* option) {
  command.add_option_function<std::string>(
      option, [option](const std::string&) { not_built(std::string("run ") + option); }, "not built yet");
}

void add_options(CLI::App& command, const CommandInfo& info, CommandLine& line) {
  if (info.most_files > 0) {
    command.add_option("FILE", line.files, "scenario file")->required()->expected(info.least_files, info.most_files);
    command.add_flag("--json", line.json, "one JSON document instead of text");
  }
  if (info.command == run_command) {
    add_unbuilt_option(command, "--html");
    add_unbuilt_option(command, "--trace");
  }
  if (info.command == list_command) {
    command.add_option("KIND", line.list_kind, "only these")
        ->check(CLI::IsMember({"models", "accelerators", "clusters", "stacks", "schedules"}));
  }
}

/// A command that is not built takes any arguments and says so.
void add_command(CLI::App& app, const CommandInfo& info, CommandLine& line) {
  CLI::App* command = app.add_subcommand(info.name, info.help);
  if (info.command == nullptr) {
    command->allow_extras();
    command->parse_complete_callback([&info] { not_built(info.name); });
    return;
  }
  add_options(*command, info, line);
}

ExitStatus dispatch(const CLI::App& app, const CommandLine& line) {
  for (const CommandInfo& info : kCommands) {
    if (info.command != nullptr && app.got_subcommand(info.name)) return info.command(line);
  }
  return kWrongUsage;
}

int run_app(int argc, char** argv) {
  CLI::App app("stepsim: where the time of a step of a large language model goes on a cluster", "stepsim");
  app.set_version_flag("--version", "stepsim " STEPSIM_VERSION);
  app.footer(kExample);
  app.require_subcommand(1);
  CommandLine line;
  line.library = find_library(argv[0], STEPSIM_SOURCE_DIR);
  for (const CommandInfo& info : kCommands) add_command(app, info, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUsage;
  }
  return dispatch(app, line);
}

}  // namespace
}  // namespace stepsim

int main(int argc, char** argv) {
  stepsim::set_up_log();
  try {
    return stepsim::run_app(argc, argv);
  } catch (const stepsim::NotBuiltError& error) {
    spdlog::error("{}", error.what());
    return stepsim::kWrongUsage;
  } catch (const stepsim::InternalError& error) {
    spdlog::error("this is a bug of stepsim, please report it: {}", error.what());
    return stepsim::kScenarioWrong;
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return stepsim::kScenarioWrong;
  }
}
