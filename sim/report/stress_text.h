#pragma once
// The terminal report of `stepsim stress`.

#include <string>

#include "sim/report/bar.h"
#include "sim/studies/stress_study.h"

namespace stepsim {

std::string stress_text(const StressResult& result, const TextStyle& style);

}  // namespace stepsim
