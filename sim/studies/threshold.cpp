#include "sim/studies/threshold.h"

#include <algorithm>
#include <cmath>

namespace stepsim {
namespace {

/// margin(below) < 0 <= margin(above).
template <class T>
struct Bracket {
  T below{}, above{};
};

/// Doubles or halves from `start` until the threshold lies between; empty at the ends of the range.
std::optional<Bracket<long long>> bracket_whole(const MarginAt& hides, long long start, long long most) {
  if (hides(static_cast<double>(start)) >= 0) {
    long long above = start;
    while (above > 1) {
      const long long lower = above / 2;
      if (hides(static_cast<double>(lower)) < 0) return Bracket<long long>{lower, above};
      above = lower;
    }
    return std::nullopt;
  }
  long long below = start;
  while (below < most) {
    const long long upper = std::min(below * 2, most);
    if (hides(static_cast<double>(upper)) >= 0) return Bracket<long long>{below, upper};
    below = upper;
  }
  return std::nullopt;
}

/// The same for factors, from 1 outwards, so that a run is never asked for a speed far beyond what is needed.
std::optional<Bracket<double>> bracket_factor(const MarginAt& hides, double least, double most) {
  double factor = 1;
  const bool down = hides(1) >= 0;
  while (down ? factor > least : factor < most) {
    const double next = down ? std::max(factor / 2, least) : std::min(factor * 2, most);
    if ((hides(next) >= 0) != down) return Bracket<double>{std::min(factor, next), std::max(factor, next)};
    factor = next;
  }
  return std::nullopt;
}

}  // namespace

Solved solve_whole(const MarginAt& margin, long long grain, long long start, long long most) {
  const auto at = [&](double count) { return margin(count * static_cast<double>(grain)); };
  const long long first = std::max(1LL, start / grain);
  std::optional<Bracket<long long>> bracket = bracket_whole(at, first, most / grain);
  if (!bracket) return {.value = {}, .note = at(static_cast<double>(first)) >= 0 ? "always hides" : "never hides"};
  while (bracket->above - bracket->below > 1) {
    const long long middle = bracket->below + (bracket->above - bracket->below) / 2;
    (at(static_cast<double>(middle)) < 0 ? bracket->below : bracket->above) = middle;
  }
  const double low = at(static_cast<double>(bracket->below));
  const double high = at(static_cast<double>(bracket->above));
  return {.value = (static_cast<double>(bracket->below) - low / (high - low)) * static_cast<double>(grain), .note = ""};
}

Solved solve_factor(const MarginAt& margin, double least, double most) {
  const std::optional<Bracket<double>> bracket = bracket_factor(margin, least, most);
  if (!bracket) return {.value = {}, .note = margin(1) >= 0 ? "always hides" : "never hides"};
  double below = bracket->below, above = bracket->above;
  while (above / below > 1 + 1e-4) {
    const double middle = std::sqrt(below * above);
    (margin(middle) < 0 ? below : above) = middle;
  }
  return {.value = std::sqrt(below * above), .note = ""};
}

}  // namespace stepsim
