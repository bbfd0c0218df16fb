#pragma once
// Solves for the value at which a hop stops hiding, by bisection on simulated runs.

#include <functional>
#include <optional>
#include <string>

namespace stepsim {

/// Margin of a simulated run at a value; must not fall as the value grows.
using MarginAt = std::function<double(double)>;

struct Solved {
  std::optional<double> value;
  std::string note;  ///< why there is none: it always hides, or never
};

/// Over whole multiples of `grain` up to `most`, from `start`; between the two multiples on both sides of the threshold
/// it interpolates the margin.
Solved solve_whole(const MarginAt& margin, long long grain, long long start, long long most);

/// Over factors from `least` below 1 to `most` above 1, to a relative 1e-4.
Solved solve_factor(const MarginAt& margin, double least, double most);

}  // namespace stepsim
