#pragma once
// The commands of stepsim. Each reads its files, prints one report to standard output and returns the exit status.

#include <string>
#include <vector>

#include "sim/scenario/library.h"

namespace stepsim {

/// Exit statuses (design.md section 7).
enum ExitStatus : int { kDone = 0, kScenarioWrong = 1, kWrongUsage = 2, kExpectationFailed = 3 };

/// What a command gets from the command line.
struct CommandLine {
  std::vector<std::string> files;
  bool json = false;
  std::string list_kind;  ///< of `list`; empty: all
  LibraryPaths library;
};

ExitStatus run_command(const CommandLine& line);
ExitStatus compare_command(const CommandLine& line);
ExitStatus stress_command(const CommandLine& line);
ExitStatus schema_command(const CommandLine& line);
ExitStatus list_command(const CommandLine& line);

}  // namespace stepsim
