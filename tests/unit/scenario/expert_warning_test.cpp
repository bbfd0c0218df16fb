// TP alone leaves the experts of a MoE model whole on every rank: legal, rarely meant, so it is said.

#include <gtest/gtest.h>

#include <fstream>

#include "sim/scenario/read_scenario.h"

namespace stepsim {
namespace {

std::string findings_with(const std::string& layout) {
  const std::string path = ::testing::TempDir() + "experts.yaml";
  std::ofstream(path) << "model: mixtral-8x7b\ncluster: {name: dgx-h100, nodes: 1}\nlayout: " << layout
                      << "\nworkload: {kind: decode, batch: 8, context_len: 1024, precision: bf16}\n";
  const ScenarioResult result = read_scenario(path, {std::string(STEPSIM_SOURCE_DIR) + "/scenarios"});
  EXPECT_TRUE(result.scenario.has_value()) << render_all(result);
  return render_all(result);
}

TEST(WholeExperts, AreSaid) {
  EXPECT_NE(findings_with("{tp: 8}").find("each of the 8 TP ranks holds all 8 experts whole"), std::string::npos);
  EXPECT_EQ(findings_with("{tp: 8, etp: 8}"), "");
  EXPECT_EQ(findings_with("{dp: 8, ep: 8}"), "");
  EXPECT_EQ(findings_with("{tp: 8, etp: 1}"), "");
}

}  // namespace
}  // namespace stepsim
