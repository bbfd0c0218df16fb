#pragma once
// How long this program itself takes.

#include <chrono>

#include "sim/base/units.h"

namespace stepsim {

class WallClock {
 public:
  [[nodiscard]] Seconds elapsed() const {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stepsim
