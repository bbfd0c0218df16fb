#pragma once
// Reports as JSON documents, by the names and units of design.md section 7. Numbers do not depend on the locale.

#include <string>
#include <vector>

#include "sim/studies/compare_study.h"
#include "sim/studies/run_study.h"
#include "sim/studies/stress_study.h"

namespace stepsim {

/// One run: an object. Several: an array in the order given. Ends with a newline.
std::string run_json(const std::vector<RunResult>& runs);
std::string compare_json(const Comparison& comparison);
std::string stress_json(const StressResult& result);

}  // namespace stepsim
