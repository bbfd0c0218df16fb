#pragma once
// The shipped accelerators, models and studies.

#include <gtest/gtest.h>

#include <string>

#include "sim/scenario/read_scenario.h"
#include "sim/studies/metrics.h"
#include "sim/studies/run_study.h"

namespace stepsim::testing {

inline LibraryPaths shipped_library() { return {std::string(STEPSIM_SOURCE_DIR) + "/scenarios"}; }

inline Accelerator shipped_accelerator(const std::string& name) {
  Diagnostics diagnostics;
  const auto chip = read_library_accelerator(shipped_library(), name, diagnostics);
  EXPECT_TRUE(chip.has_value()) << name;
  return chip.value_or(Accelerator{});
}

/// A metric of a shipped study as `stepsim run` prints it.
inline double metric_of_study(const std::string& file, const std::string& metric) {
  const auto result = read_scenario(shipped_library().root + "/studies/" + file, shipped_library());
  EXPECT_TRUE(result.scenario.has_value()) << render_all(result);
  return metric_value(run_study(*result.scenario), metric).value_or(0);
}

}  // namespace stepsim::testing
