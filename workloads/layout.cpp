#include "workloads/layout.h"

#include <array>

namespace stepsim {

const char* name_of(Axis axis) {
  static constexpr std::array<const char*, kAxes> kNames{"tp", "cp", "ep", "dp", "pp"};
  return kNames[static_cast<std::size_t>(axis)];
}

}  // namespace stepsim
