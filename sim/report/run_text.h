#pragma once
// The terminal report of `stepsim run`.

#include <string>

#include "sim/report/bar.h"
#include "sim/studies/run_study.h"

namespace stepsim {

/// At most kReportWidth columns wide, save titles and names that are longer themselves.
std::string run_text(const RunResult& run, const TextStyle& style);

}  // namespace stepsim
