#include "sim/engine/collectives/algorithm.h"

#include <algorithm>

namespace stepsim {

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> kTable{kRing,    kTree,     kInNetwork, kHierarchical, kHalvingDoubling,
                                             kOneShot, kNodeOnce, kPairwise,  kScalar};
  return kTable;
}

const Algorithm* find_algorithm(const std::string& name) {
  const auto& all = algorithms();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Algorithm& a) { return a.name == name; });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace stepsim
