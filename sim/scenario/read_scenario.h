#pragma once
// Reads a scenario file: the typed, checked Scenario, or everything that is wrong with it.

#include <map>
#include <optional>
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/scenario/library.h"
#include "sim/scenario/scenario.h"

namespace stepsim {

struct ScenarioResult {
  std::optional<Scenario> scenario;            ///< empty if there are errors
  Diagnostics diagnostics;                     ///< ordered by place; warnings where there is a scenario
  std::map<std::string, std::string> sources;  ///< text of each file that was read, for rendering
};

/// Throws NotBuiltError where the file has no error but asks for something of a later version.
ScenarioResult read_scenario(const std::string& path, const LibraryPaths& library);

/// All findings as people see them, with source lines and carets.
std::string render_all(const ScenarioResult& result);

/// Reads a file of the library by itself (for `stepsim list` and tests): its errors, [] if it is sound.
Diagnostics check_library_file(const LibraryPaths& library, LibraryKind kind, const std::string& name);

/// A model of the library, or its errors.
std::optional<ModelSpec> read_library_model(const LibraryPaths& library, const std::string& name,
                                            Diagnostics& diagnostics);
/// An accelerator of the library, or its errors.
std::optional<Accelerator> read_library_accelerator(const LibraryPaths& library, const std::string& name,
                                                    Diagnostics& diagnostics);

}  // namespace stepsim
