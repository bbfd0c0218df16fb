#pragma once
// How many random cases a property test runs here.

#include <algorithm>
#include <cstdlib>

namespace stepsim {

/// `full`, divided by STEPSIM_RANDOM_CASES_DIVISOR where that is set (the sanitizer build sets 20); at least 1.
inline int random_cases(int full) {
  const char* text = std::getenv("STEPSIM_RANDOM_CASES_DIVISOR");
  const int divisor = text == nullptr ? 1 : std::atoi(text);
  return divisor > 1 ? std::max(full / divisor, 1) : full;
}

}  // namespace stepsim
