// The library: every file reads, the names that design.md promises are there, and parameter counts are the published
// ones.

#include "sim/scenario/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/scenario/read_scenario.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const LibraryPaths kLibrary = find_library("", STEPSIM_SOURCE_DIR);

void expect_names(LibraryKind kind, const std::vector<std::string>& promised) {
  const std::vector<std::string> names = library_names(kLibrary, kind);
  for (const std::string& name : promised) EXPECT_TRUE(std::count(names.begin(), names.end(), name) == 1) << name;
  for (const std::string& name : names) {
    const Diagnostics findings = check_library_file(kLibrary, kind, name);
    EXPECT_TRUE(findings.all().empty()) << name << ": " << findings.all().front().message;
  }
}

TEST(Library, HoldsWhatIsPromised) {
  expect_names(LibraryKind::model, {"gpt3-175b", "llama-3-8b", "llama-3-70b", "llama-3.1-405b", "mixtral-8x7b",
                                    "qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3"});
  expect_names(LibraryKind::accelerator,
               {"a100-80gb", "h100-sxm", "h100-hbm2e-500w", "h200", "h800", "b200", "gb200", "ideal"});
  expect_names(LibraryKind::cluster, {"dgx-a100", "a100-800g", "dgx-h100", "h100-roce", "h800-ib", "grand-teton-gtt",
                                      "grand-teton-gti", "gb200-nvl72", "dgx-b200"});
  expect_names(LibraryKind::stack, {"default", "megatron-2022"});
}

std::int64_t parameters(const std::string& name) {
  Diagnostics findings;
  const std::optional<ModelSpec> model = read_library_model(kLibrary, name, findings);
  EXPECT_TRUE(model.has_value()) << name;
  return model ? count_parameters(*model).total : 0;
}

/// Published totals: the config.json of each checkpoint and its weights (formats.md B.1; DeepSeek-V3 without MTP).
TEST(Library, ParameterCountsAreThePublishedOnes) {
  EXPECT_EQ(parameters("llama-3-70b"), 70'553'706'496);
  EXPECT_EQ(parameters("llama-3-8b"), 8'030'261'248);
  EXPECT_EQ(parameters("mixtral-8x7b"), 46'702'792'704);
  EXPECT_EQ(parameters("qwen3-30b-a3b"), 30'532'122'624);
  EXPECT_EQ(parameters("deepseek-v3"), 671'026'419'200);
  EXPECT_NEAR(static_cast<double>(parameters("llama-3.1-405b")), 405.85e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(parameters("qwen3-235b-a22b")), 235.09e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(parameters("gpt3-175b")), 174.6e9, 0.1e9);  // arXiv 2005.14165, Table 2.1: 175B
}

TEST(Library, EnvironmentNamesIt) {
  ::setenv("STEPSIM_LIBRARY", "/somewhere/else", 1);
  EXPECT_EQ(find_library("/usr/bin/stepsim", "/src").root, "/somewhere/else");
  ::unsetenv("STEPSIM_LIBRARY");
  EXPECT_EQ(find_library("/no/such/bin/stepsim", "/src").root, "/src/scenarios");
  EXPECT_EQ(find_library((fs::path(STEPSIM_SOURCE_DIR) / "build" / "stepsim").string(), "/src").root,
            (fs::path(STEPSIM_SOURCE_DIR) / "scenarios").string());
}

}  // namespace
}  // namespace stepsim
