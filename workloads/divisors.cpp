#include "workloads/divisors.h"

#include <fmt/format.h>

#include <vector>

namespace stepsim {

namespace {

std::string join_with_or(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " or " : ", ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

}  // namespace

std::string divisors_text(std::int64_t number) {
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    low.push_back(d);
    if (d * d != number) high.insert(high.begin(), number / d);
  }
  low.insert(low.end(), high.begin(), high.end());
  return join_with_or(low);
}

std::string nearest_multiples_text(std::int64_t number, std::int64_t step) {
  const std::int64_t below = number / step * step;
  return below > 0 ? join_with_or({below, below + step}) : join_with_or({step});
}

}  // namespace stepsim
