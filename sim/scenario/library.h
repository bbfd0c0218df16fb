#pragma once
// The library of named models, accelerators, clusters and stacks: one YAML file for each name.

#include <string>
#include <vector>

namespace stepsim {

enum class LibraryKind { model, accelerator, cluster, stack };
/// "models", "accelerators", …: the folder.
const char* folder_of(LibraryKind kind);
/// "model", "accelerator", …: for messages.
const char* name_of(LibraryKind kind);

struct LibraryPaths {
  std::string root;  ///< the folder that holds models/, accelerators/, clusters/, stacks/
};

/// $STEPSIM_LIBRARY, else next to the executable (../share/stepsim/scenarios, ../scenarios, ../../scenarios), else
/// `source_root`/scenarios, whichever is there first.
LibraryPaths find_library(const std::string& executable, const std::string& source_root);

/// Names of one kind in order of the alphabet.
std::vector<std::string> library_names(const LibraryPaths& library, LibraryKind kind);

/// Where the file of a name lies (it may not exist).
std::string library_file(const LibraryPaths& library, LibraryKind kind, const std::string& name);

}  // namespace stepsim
