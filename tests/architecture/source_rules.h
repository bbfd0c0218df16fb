#pragma once
// The rules that every source file is held to. Each takes a file and says what breaks the rule, [] if nothing does.

#include <string>
#include <vector>

namespace stepsim {

/// A source file: its path from the root of the repository, with '/', and its lines.
struct SourceFile {
  std::string path;
  std::vector<std::string> lines;
};

/// Own files are included by path from the root, and only from folders below:
/// base <- {topology, workloads} <- engine <- scenario <- studies <- report <- app.
std::vector<std::string> include_direction_findings(const SourceFile& file);
/// Third-party headers stay out of our headers; yaml-cpp stays in sim/scenario.
std::vector<std::string> third_party_findings(const SourceFile& file);
/// exit, abort and catch (...) belong to sim/app/main.cpp alone.
std::vector<std::string> ending_findings(const SourceFile& file);
/// At most 400 lines, headers 200 and with #pragma once; no notes of unfinished work.
std::vector<std::string> form_findings(const SourceFile& file);

/// All .h and .cpp files below the source folders of the repository, in order of their paths.
std::vector<SourceFile> source_tree(const std::string& root);

}  // namespace stepsim
