// The committed schema and reference page are those of the field tables, and the shipped scenarios obey the schema.

#include "sim/scenario/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = STEPSIM_SOURCE_DIR;
const fs::path kSchema = kRoot / "scenarios" / "schema" / "scenario.schema.json";
const fs::path kReference = kRoot / "docs" / "scenario-reference.md";

/// The committed text; with STEPSIM_UPDATE_GENERATED=1 it is written first.
std::string committed(const fs::path& file, const std::string& generated) {
  if (std::getenv("STEPSIM_UPDATE_GENERATED") != nullptr) std::ofstream(file, std::ios::binary) << generated;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Schema, CommittedEqualsGenerated) {
  EXPECT_TRUE(committed(kSchema, scenario_schema()) == scenario_schema())
      << "run STEPSIM_UPDATE_GENERATED=1 scenario_test";
}

TEST(ReferencePage, CommittedEqualsGenerated) {
  EXPECT_TRUE(committed(kReference, scenario_reference()) == scenario_reference())
      << "run STEPSIM_UPDATE_GENERATED=1 scenario_test";
}

/// Exit status of tests/schema/validate.py; 77 where Python's modules are missing.
int validate(const std::string& files) {
  const fs::path script = kRoot / "tests" / "schema" / "validate.py";
  const int status =
      std::system(fmt::format("/usr/bin/python3 '{}' '{}' {}", script.string(), kSchema.string(), files).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool python_is_ready() { return fs::exists("/usr/bin/python3") && validate("") != 77; }

TEST(Schema, AcceptsEveryShippedStudy) {
  if (!python_is_ready()) GTEST_SKIP() << "python3-jsonschema and python3-yaml are not installed";
  EXPECT_EQ(validate(fmt::format("'{}'/scenarios/studies/*.yaml", kRoot.string())), 0);
}

/// What the schema can see by itself: keys, choices, units, bounds.
TEST(Schema, RefusesWhatTheReaderRefuses) {
  if (!python_is_ready()) GTEST_SKIP() << "python3-jsonschema and python3-yaml are not installed";
  for (const char* name :
       {"unknown_key", "unknown_root_key", "missing_sections", "wrong_choice", "wrong_unit", "missing_unit",
        "map_where_number", "list_where_map", "percentage_without_sign", "number_out_of_bounds"}) {
    EXPECT_EQ(validate(fmt::format("'{}'/tests/bad_input/{}.yaml > /dev/null", kRoot.string(), name)), 1) << name;
  }
}

}  // namespace
}  // namespace stepsim
