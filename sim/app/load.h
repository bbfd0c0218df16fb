#pragma once
// Scenario files from disk, with every finding told.

#include <optional>
#include <vector>

#include "sim/app/commands.h"
#include "sim/scenario/scenario.h"

namespace stepsim {

struct LoadedScenario {
  Scenario scenario;
  Seconds reading_time;  ///< of this program
};

/// Reads all files of the command line. Prints warnings and errors of all of them to standard error; empty if one has
/// an error. Throws NotBuiltError if a file asks for what a later version brings.
std::optional<std::vector<LoadedScenario>> load_scenarios(const CommandLine& line);

/// The scenarios alone.
std::vector<Scenario> scenarios_of(std::vector<LoadedScenario> loaded);

}  // namespace stepsim
