#pragma once
// Texts that say which numbers would be right.

#include <cstdint>
#include <string>

namespace stepsim {

/// "1, 2, 4 or 8": the divisors of a positive number.
std::string divisors_text(std::int64_t number);

/// "8 or 16": the nearest multiples of `step` below and above a number that is none.
std::string nearest_multiples_text(std::int64_t number, std::int64_t step);

}  // namespace stepsim
