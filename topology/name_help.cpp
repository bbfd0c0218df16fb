#include "topology/name_help.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/base/diagnostic.h"

namespace stepsim {

std::string name_help(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kShown = 8;
  const std::string near = nearest(name, known);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  if (known.empty()) return "there are none";
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kShown));
  return fmt::format("there are: {}{}", fmt::join(known.begin(), end, ", "), known.size() > kShown ? ", ..." : "");
}

}  // namespace stepsim
