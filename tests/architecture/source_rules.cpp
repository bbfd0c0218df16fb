#include "tests/architecture/source_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>

namespace stepsim {

namespace {

/// Which folders a folder may include, itself aside.
const std::map<std::string, std::vector<std::string>>& folders_below() {
  static const std::map<std::string, std::vector<std::string>> kTable = {
      {"sim/base", {}},
      {"topology", {"sim/base"}},
      {"workloads", {"sim/base"}},
      {"sim/engine", {"sim/base", "topology", "workloads"}},
      {"sim/scenario", {"sim/base", "topology", "workloads", "sim/engine"}},
      {"sim/studies", {"sim/base", "topology", "workloads", "sim/engine", "sim/scenario"}},
      {"sim/report", {"sim/base", "topology", "workloads", "sim/engine", "sim/scenario", "sim/studies"}},
      {"sim/app", {"sim/base", "topology", "workloads", "sim/engine", "sim/scenario", "sim/studies", "sim/report"}},
  };
  return kTable;
}

std::optional<std::string> folder_of(const std::string& path) {
  for (const auto& [folder, below] : folders_below()) {
    if (path.starts_with(folder + "/")) return folder;
  }
  return std::nullopt;
}

bool is_test(const SourceFile& file) { return file.path.starts_with("tests/"); }
bool is_header(const SourceFile& file) { return file.path.ends_with(".h"); }

struct Include {
  std::size_t line;
  std::string target;
  bool quoted;
};

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
  std::vector<Include> includes;
  std::smatch match;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (!std::regex_search(file.lines[i], match, kInclude)) continue;
    includes.push_back({i + 1, match[2], match[1] == "\""});
  }
  return includes;
}

/// The line without its text literals and its // comment.
std::string code_of(const std::string& line) {
  static const std::regex kLiteral(R"re("(\\.|[^"\\])*")re");
  const std::string without_text = std::regex_replace(line, kLiteral, "\"\"");
  return without_text.substr(0, without_text.find("//"));
}

std::string finding(const SourceFile& file, std::size_t line, const std::string& what) {
  return fmt::format("{}:{}: {}", file.path, line, what);
}

std::optional<std::string> direction_problem(const std::string& from, const std::string& target) {
  const auto to = folder_of(target);
  if (!to) return fmt::format("includes \"{}\", which is no path from the root of the repository", target);
  const auto& below = folders_below().at(from);
  if (*to == from || std::find(below.begin(), below.end(), *to) != below.end()) return std::nullopt;
  return fmt::format("{} must not include {} (\"{}\")", from, *to, target);
}

}  // namespace

std::vector<std::string> include_direction_findings(const SourceFile& file) {
  const auto from = folder_of(file.path);
  std::vector<std::string> findings;
  if (!from) return findings;
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) continue;
    if (const auto problem = direction_problem(*from, include.target)) {
      findings.push_back(finding(file, include.line, *problem));
    }
  }
  return findings;
}

std::vector<std::string> third_party_findings(const SourceFile& file) {
  std::vector<std::string> findings;
  if (is_test(file)) return findings;
  for (const Include& include : includes_of(file)) {
    // Headers of the standard library have neither a folder nor an ending.
    const bool third_party = !include.quoted && include.target.find_first_of("/.") != std::string::npos;
    if (third_party && is_header(file)) {
      findings.push_back(finding(file, include.line, "a header must not include <" + include.target + ">"));
    }
    if (include.target.starts_with("yaml-cpp/") && !file.path.starts_with("sim/scenario/")) {
      findings.push_back(finding(file, include.line, "yaml-cpp belongs to sim/scenario"));
    }
  }
  return findings;
}

std::vector<std::string> ending_findings(const SourceFile& file) {
  static const std::regex kEnding(R"(\b(exit|abort|_Exit|quick_exit|terminate)\s*\(|catch\s*\(\s*\.\.\.\s*\))");
  std::vector<std::string> findings;
  if (is_test(file) || file.path == "sim/app/main.cpp") return findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (std::regex_search(code_of(file.lines[i]), kEnding)) {
      findings.push_back(finding(file, i + 1, "ends the program or catches everything; only main may"));
    }
  }
  return findings;
}

std::vector<std::string> form_findings(const SourceFile& file) {
  static const std::regex kUnfinished(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X)\\b");
  std::vector<std::string> findings;
  const std::size_t most = is_header(file) ? 200 : 400;
  if (file.lines.size() > most) {
    findings.push_back(finding(file, file.lines.size(), fmt::format("longer than {} lines", most)));
  }
  if (is_header(file) && (file.lines.empty() || file.lines.front() != "#pragma once")) {
    findings.push_back(finding(file, 1, "a header starts with #pragma once"));
  }
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (std::regex_search(file.lines[i], kUnfinished))
      findings.push_back(finding(file, i + 1, "a note of unfinished work"));
  }
  return findings;
}

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<SourceFile> source_tree(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (const char* folder : {"sim", "topology", "workloads", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
      const fs::path& path = entry.path();
      if (!entry.is_regular_file() || (path.extension() != ".h" && path.extension() != ".cpp")) continue;
      files.push_back({fs::relative(path, root).generic_string(), lines_of(path)});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace stepsim
