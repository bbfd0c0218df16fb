#pragma once
// What a reading pass carries along: findings, the places of keys, the library, and what is known but not built.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/scenario/library.h"
#include "sim/scenario/yaml.h"

namespace stepsim {

class Reader {
 public:
  explicit Reader(LibraryPaths library) : library_(std::move(library)) {}

  Diagnostics diagnostics;
  std::map<std::string, std::string> sources;  ///< text of every file that was read
  std::vector<std::string> not_built;          ///< values that a later version brings
  [[nodiscard]] const LibraryPaths& library() const { return library_; }

  void error(const YamlNode& node, std::string message, std::string help = "");
  /// "expected <wanted>, found <what stands there>".
  void expected(const YamlNode& node, const std::string& wanted);

  /// Keys below `key` are known as "<path>.<key>" while this lives.
  class Scope {
   public:
    Scope(Reader& reader, const std::string& key);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Reader& reader_;
    std::size_t length_;
  };

  /// Remembers where the key of the current path stands.
  void note_place(const YamlEntry& entry);
  /// Was the key in the file (not filled from its default)?
  [[nodiscard]] bool given(const std::string& path) const { return places_.count(path) > 0; }
  /// Remembers that the value of the current path has errors.
  void note_broken() { broken_.insert(path_); }
  /// Has the value of `path` errors?
  [[nodiscard]] bool broken(const std::string& path) const { return broken_.count(path) > 0; }
  /// Where `path` stands; where it was left out, the nearest section around it, in the end `fallback`.
  [[nodiscard]] SourceSpan place(std::string path, const SourceSpan& fallback) const;
  /// Forgets a section and all below it (another variant is read).
  void forget_places(const std::string& path);
  void set_place(const std::string& path, SourceSpan where) { places_[path] = std::move(where); }

  /// The file that a reference names, parsed; the empty result has been reported. `open_files` guards against cycles.
  std::optional<YamlNode> load(const YamlNode& reference, LibraryKind kind);
  /// Ends what load() began.
  void close_file() { open_files_.pop_back(); }

 private:
  std::optional<std::string> find_file(const YamlNode& reference, LibraryKind kind);

  LibraryPaths library_;
  std::string path_;
  std::map<std::string, SourceSpan> places_;
  std::set<std::string> broken_;
  std::vector<std::string> open_files_;
};

}  // namespace stepsim
