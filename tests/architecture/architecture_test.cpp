// Do the sources keep to the folders and rules of docs/architecture.md?
#include <gtest/gtest.h>

#include "tests/architecture/source_rules.h"

namespace stepsim {
namespace {

using Findings = std::vector<std::string>;
using Rule = Findings (*)(const SourceFile&);

/// One line for each finding in the repository; "" is what we want.
std::string in_the_tree(Rule rule) {
  std::string text;
  for (const SourceFile& file : source_tree(STEPSIM_SOURCE_DIR)) {
    for (const std::string& finding : rule(file)) text += finding + "\n";
  }
  return text;
}

std::size_t count(Rule rule, const std::string& path, const std::vector<std::string>& lines) {
  return rule({path, lines}).size();
}

TEST(SourceTree, IsFound) { EXPECT_GT(source_tree(STEPSIM_SOURCE_DIR).size(), 30U); }

TEST(Includes, GoOneWay) { EXPECT_EQ(in_the_tree(include_direction_findings), ""); }
TEST(Includes, OfThirdPartiesStayInSources) { EXPECT_EQ(in_the_tree(third_party_findings), ""); }
TEST(Endings, BelongToMain) { EXPECT_EQ(in_the_tree(ending_findings), ""); }
TEST(Form, IsKept) { EXPECT_EQ(in_the_tree(form_findings), ""); }

// The rules themselves: each must find what breaks it and leave alone what does not.

TEST(Includes, ForbiddenDirectionsAreFound) {
  EXPECT_EQ(count(include_direction_findings, "topology/a.cpp", {"#include \"sim/base/units.h\""}), 0U);
  EXPECT_EQ(count(include_direction_findings, "topology/a.cpp", {"#include \"workloads/model.h\""}), 1U);
  EXPECT_EQ(count(include_direction_findings, "workloads/x/a.h", {"#include \"topology/fabric.h\""}), 1U);
  EXPECT_EQ(count(include_direction_findings, "sim/base/a.h", {"  # include \"sim/engine/options.h\""}), 1U);
  EXPECT_EQ(count(include_direction_findings, "sim/engine/a.h", {"#include \"topology/fabric.h\""}), 0U);
  EXPECT_EQ(count(include_direction_findings, "sim/scenario/a.h", {"#include \"sim/studies/a.h\""}), 1U);
  EXPECT_EQ(count(include_direction_findings, "sim/app/a.cpp", {"#include \"sim/report/a.h\""}), 0U);
  EXPECT_EQ(count(include_direction_findings, "sim/base/a.cpp", {"#include \"units.h\""}), 1U);
  EXPECT_EQ(count(include_direction_findings, "sim/base/a.cpp", {"#include \"tests/support/a.h\""}), 1U);
}

TEST(Includes, ThirdPartyHeadersInHeadersAreFound) {
  EXPECT_EQ(count(third_party_findings, "sim/base/a.h", {"#include <vector>"}), 0U);
  EXPECT_EQ(count(third_party_findings, "sim/base/a.h", {"#include <fmt/format.h>"}), 1U);
  EXPECT_EQ(count(third_party_findings, "sim/base/a.cpp", {"#include <fmt/format.h>"}), 0U);
  EXPECT_EQ(count(third_party_findings, "sim/engine/a.cpp", {"#include <yaml-cpp/yaml.h>"}), 1U);
  EXPECT_EQ(count(third_party_findings, "sim/scenario/a.cpp", {"#include <yaml-cpp/yaml.h>"}), 0U);
}

TEST(Endings, AreFoundInCodeOnly) {
  EXPECT_EQ(count(ending_findings, "sim/engine/a.cpp", {"  std::exit(1);"}), 1U);
  EXPECT_EQ(count(ending_findings, "sim/engine/a.cpp", {"  abort ();"}), 1U);
  EXPECT_EQ(count(ending_findings, "sim/engine/a.cpp", {"} catch ( ... ) {"}), 1U);
  EXPECT_EQ(count(ending_findings, "sim/app/main.cpp", {"} catch (...) {"}), 0U);
  EXPECT_EQ(count(ending_findings, "sim/engine/a.cpp", {"// no exit() here", "f(\"exit(1)\");", "on_exit_(x);"}), 0U);
}

TEST(Form, LongFilesAndMissingGuardsAreFound) {
  EXPECT_EQ(count(form_findings, "sim/a.cpp", std::vector<std::string>(400)), 0U);
  EXPECT_EQ(count(form_findings, "sim/a.cpp", std::vector<std::string>(401)), 1U);
  EXPECT_EQ(count(form_findings, "sim/a.h", {"// no guard"}), 1U);
  EXPECT_EQ(count(form_findings, "sim/a.h", std::vector<std::string>(201, "#pragma once")), 1U);
  EXPECT_EQ(count(form_findings, "sim/a.cpp", {std::string("// TO") + "DO"}), 1U);
}

}  // namespace
}  // namespace stepsim
