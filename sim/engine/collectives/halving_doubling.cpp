#include <algorithm>
#include <bit>

#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape& shape) {
  return comm.kind == CommKind::all_reduce && shape.members > 1 &&
         std::has_single_bit(static_cast<std::uint64_t>(shape.members));
}

// Rabenseifner's algorithm (Thakur et al. 2005, section 4.4): halves to partners at distance n/2, n/4, … 1, then back.
std::vector<Phase> phases(const Comm&, const GroupShape& shape) {
  const int rounds = std::countr_zero(static_cast<std::uint64_t>(shape.members));
  std::vector<Phase> halving;
  for (int i = 0; i < rounds; ++i) {
    halving.push_back(
        {.pattern = FlowPattern::exchange, .round = rounds - 1 - i, .denominator = std::int64_t{2} << i, .hops = 1});
  }
  std::vector<Phase> all = halving;
  all.insert(all.end(), halving.rbegin(), halving.rend());
  return all;
}

}  // namespace

const Algorithm kHalvingDoubling{"halving_doubling", "log2 n rounds with half of the data each, and back", false, fits,
                                 phases};

}  // namespace stepsim
