#pragma once
// A value that stands in the file or in another one: a map, the name of a library file, or a path.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "sim/scenario/field_table.h"

namespace stepsim {

/// What to do with the map in the end. `name` is the stem of the file it came from, "" for an inline map.
template <class T>
using ReadMap = std::function<void(T&, const YamlNode&, const std::string& name, Reader&)>;

template <class T>
void read_reference(T& target, const YamlNode& node, LibraryKind kind, const ReadMap<T>& read_map, Reader& reader,
                    const std::string& name = "") {
  if (node.is_map()) return read_map(target, node, name, reader);
  if (!node.is_scalar())
    return reader.expected(node, std::string("a ") + name_of(kind) + ": a library name, a path, or a map");
  const std::optional<YamlNode> root = reader.load(node, kind);
  if (!root) return;
  // "llama-3.1-405b" is a whole name: only .yaml is a suffix.
  const std::filesystem::path path(node.text);
  const std::string name_of_file = (path.extension() == ".yaml" ? path.stem() : path.filename()).string();
  read_reference(target, *root, kind, read_map, reader, name_of_file);
  reader.close_file();
}

template <class T>
Rule<T> reference(LibraryKind kind, const SectionInfo& section, ReadMap<T> read_map) {
  Shape shape{.kind = Shape::Kind::any_of,
              .parts = {Shape{.kind = Shape::Kind::text}, Shape{.kind = Shape::Kind::section, .section = &section}}};
  return {std::move(shape), [kind, read_map = std::move(read_map)](const YamlNode& node, Reader& reader) {
            std::optional<T> value{T{}};
            read_reference<T>(*value, node, kind, read_map, reader);
            return value;
          }};
}

}  // namespace stepsim
