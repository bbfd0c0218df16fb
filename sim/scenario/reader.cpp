#include "sim/scenario/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "sim/scenario/text_file.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& reference) {
  return reference.find('/') != std::string::npos || fs::path(reference).extension() == ".yaml";
}

std::string canonical(const std::string& file) {
  std::error_code failure;
  const fs::path path = fs::weakly_canonical(file, failure);
  return failure ? file : path.string();
}

}  // namespace

void Reader::error(const YamlNode& node, std::string message, std::string help) {
  diagnostics.error(node.where, std::move(message), std::move(help));
}

void Reader::expected(const YamlNode& node, const std::string& wanted) {
  error(node, fmt::format("expected {}, found {}", wanted, describe(node)));
}

Reader::Scope::Scope(Reader& reader, const std::string& key) : reader_(reader), length_(reader.path_.size()) {
  if (!reader_.path_.empty()) reader_.path_ += '.';
  reader_.path_ += key;
}

Reader::Scope::~Scope() { reader_.path_.resize(length_); }

void Reader::note_place(const YamlEntry& entry) {
  places_[path_] = entry.value.is_scalar() ? entry.value.where : entry.where;
}

SourceSpan Reader::place(std::string path, const SourceSpan& fallback) const {
  while (!path.empty()) {
    if (const auto found = places_.find(path); found != places_.end()) return found->second;
    const std::size_t dot = path.rfind('.');
    path.resize(dot == std::string::npos ? 0 : dot);
  }
  return fallback;
}

void Reader::forget_places(const std::string& path) {
  std::erase_if(places_, [&](const auto& item) { return item.first == path || item.first.rfind(path + ".", 0) == 0; });
}

std::optional<std::string> Reader::find_file(const YamlNode& reference, LibraryKind kind) {
  if (is_path(reference.text))
    return (fs::path(reference.where.file).parent_path() / reference.text).lexically_normal().string();
  const std::vector<std::string> names = library_names(library_, kind);
  if (std::find(names.begin(), names.end(), reference.text) != names.end())
    return library_file(library_, kind, reference.text);
  const std::string near = nearest(reference.text, names);
  error(reference, fmt::format("no {} named '{}' in the library", name_of(kind), reference.text),
        fmt::format("{}the library has {}; a path has a / or ends in .yaml",
                    near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return std::nullopt;
}

std::optional<YamlNode> Reader::load(const YamlNode& reference, LibraryKind kind) {
  const std::optional<std::string> file = find_file(reference, kind);
  if (!file) return std::nullopt;
  const std::string identity = canonical(*file);
  if (std::find(open_files_.begin(), open_files_.end(), identity) != open_files_.end()) {
    error(reference, fmt::format("'{}' names itself", reference.text),
          fmt::format("{} files may refer to others, but not in a circle", name_of(kind)));
    return std::nullopt;
  }
  TextFile read = read_text_file(*file);
  if (!read.text) {
    error(reference, fmt::format("{} file {}: {}", name_of(kind), *file, read.problem));
    return std::nullopt;
  }
  const std::string& text = sources[*file] = std::move(*read.text);
  std::optional<YamlNode> root = parse_yaml(text, *file, diagnostics);
  if (root) open_files_.push_back(identity);
  return root;
}

}  // namespace stepsim
