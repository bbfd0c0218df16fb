#include "sim/scenario/library.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace stepsim {
namespace {

namespace fs = std::filesystem;

bool is_library(const fs::path& root) {
  std::error_code failure;
  return fs::is_directory(root / folder_of(LibraryKind::model), failure);
}

}  // namespace

const char* folder_of(LibraryKind kind) {
  static constexpr std::array<const char*, 4> kFolders{"models", "accelerators", "clusters", "stacks"};
  return kFolders[static_cast<std::size_t>(kind)];
}

const char* name_of(LibraryKind kind) {
  static constexpr std::array<const char*, 4> kNames{"model", "accelerator", "cluster", "stack"};
  return kNames[static_cast<std::size_t>(kind)];
}

LibraryPaths find_library(const std::string& executable, const std::string& source_root) {
  if (const char* chosen = std::getenv("STEPSIM_LIBRARY"); chosen != nullptr && *chosen != '\0') return {chosen};
  const fs::path folder = fs::path(executable).parent_path();
  for (const char* relative : {"../share/stepsim/scenarios", "../scenarios", "../../scenarios"}) {
    const fs::path root = (folder / relative).lexically_normal();
    if (is_library(root)) return {root.string()};
  }
  return {(fs::path(source_root) / "scenarios").string()};
}

std::vector<std::string> library_names(const LibraryPaths& library, LibraryKind kind) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(fs::path(library.root) / folder_of(kind), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == ".yaml") names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string library_file(const LibraryPaths& library, LibraryKind kind, const std::string& name) {
  return (fs::path(library.root) / folder_of(kind) / (name + ".yaml")).string();
}

}  // namespace stepsim
