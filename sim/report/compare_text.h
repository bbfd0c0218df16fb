#pragma once
// The terminal report of `stepsim compare`.

#include <string>

#include "sim/report/bar.h"
#include "sim/studies/compare_study.h"

namespace stepsim {

std::string compare_text(const Comparison& comparison, const TextStyle& style);

}  // namespace stepsim
