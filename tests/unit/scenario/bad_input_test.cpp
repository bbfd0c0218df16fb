// Every file of tests/bad_input is refused with exactly the findings of tests/bad_input/expected.txt, by the reader and
// by the program.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/scenario/read_scenario.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(STEPSIM_SOURCE_DIR) / "tests" / "bad_input";
const LibraryPaths kLibrary = find_library("", STEPSIM_SOURCE_DIR);

struct Case {
  std::string file;
  std::vector<std::string> findings;  ///< "file:line:column: error: message", without the folder
};

/// "== file" begins a case; the lines after it are its findings, in order.
std::vector<Case> read_cases() {
  std::ifstream stream(kFolder / "expected.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("== ", 0) == 0) cases.push_back({line.substr(3), {}});
    if (line.rfind("== ", 0) != 0 && !line.empty() && line[0] != '#') cases.back().findings.push_back(line);
  }
  return cases;
}

/// The first line of a rendered finding, paths as seen from the folder.
std::string headline(const Diagnostic& item) {
  const std::string text = render(item, "");
  std::string line = text.substr(0, text.find('\n'));
  const std::string folder = kFolder.string() + "/";
  for (std::size_t at = line.find(folder); at != std::string::npos; at = line.find(folder))
    line.erase(at, folder.size());
  return line;
}

std::vector<std::string> headlines(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& item : diagnostics.all()) lines.push_back(headline(item));
  return lines;
}

TEST(BadInput, EveryFileHasItsCase) {
  std::vector<std::string> with_case;
  for (const Case& item : read_cases()) with_case.push_back(item.file);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(with_case, files);
  EXPECT_GE(files.size(), 45u);
}

TEST(BadInput, FindingsAreExactlyTheExpectedOnes) {
  for (const Case& item : read_cases()) {
    const ScenarioResult result = read_scenario((kFolder / item.file).string(), kLibrary);
    EXPECT_FALSE(result.scenario.has_value()) << item.file;
    EXPECT_EQ(headlines(result.diagnostics), item.findings) << item.file;
    EXPECT_TRUE(result.diagnostics.has_errors()) << item.file;
  }
}

TEST(BadInput, LineOfTenMegabytesIsRefusedQuickly) {
  const fs::path file = fs::temp_directory_path() / fmt::format("stepsim_long_line_{}.yaml", ::getpid());
  std::ofstream(file) << "model: llama-3-8b\ntitle: " << std::string(10u << 20, 'x') << "\n";
  const auto start = std::chrono::steady_clock::now();
  const ScenarioResult result = read_scenario(file.string(), kLibrary);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fs::remove(file);
  ASSERT_EQ(result.diagnostics.all().size(), 1u);
  EXPECT_EQ(result.diagnostics.all()[0].where.line, 2);
  EXPECT_NE(result.diagnostics.all()[0].message.find("longer than 1048576 bytes"), std::string::npos);
  EXPECT_LT(took.count(), 20.0);  // a hang, not a speed, is what this looks for
}

TEST(BadInput, MissingFileAndDirectory) {
  const ScenarioResult missing = read_scenario("/no/such/file.yaml", kLibrary);
  EXPECT_EQ(headlines(missing.diagnostics), std::vector<std::string>{"/no/such/file.yaml: error: no such file"});
  const ScenarioResult folder = read_scenario("/", kLibrary);
  EXPECT_EQ(headlines(folder.diagnostics), std::vector<std::string>{"/: error: is a directory, not a file"});
}

struct ProcessResult {
  int status = -1;
  std::string output;
};

ProcessResult run_process(const std::string& command) {
  ProcessResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

/// The program lies beside or above this test's folder in the build.
fs::path program() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& candidate : {here / "stepsim", here.parent_path() / "stepsim"}) {
    if (fs::is_regular_file(candidate)) return candidate;
  }
  return {};
}

TEST(BadInput, ProgramPrintsThemAndExitsWithStatusOne) {
  if (program().empty()) GTEST_SKIP() << "the program stepsim is not built";
  for (const Case& item : read_cases()) {
    const ProcessResult result =
        run_process(fmt::format("cd '{}' && STEPSIM_LIBRARY='{}' timeout 20 '{}' run {} 2>&1", kFolder.string(),
                                kLibrary.root, program().string(), item.file));
    EXPECT_EQ(result.status, 1) << item.file << "\n" << result.output;
    for (const std::string& finding : item.findings)
      EXPECT_NE(result.output.find(finding), std::string::npos) << finding << "\n" << result.output;
  }
}

}  // namespace
}  // namespace stepsim
