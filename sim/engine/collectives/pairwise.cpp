#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape&) { return comm.kind == CommKind::all_to_all; }

std::vector<Phase> phases(const Comm&, const GroupShape& shape) {
  return {{.pattern = FlowPattern::all_pairs, .denominator = shape.members - 1, .hops = 1}};
}

bool is_scalar(const Comm& comm, const GroupShape&) { return comm.kind == CommKind::scalar_all_reduce; }

std::vector<Phase> scalar_phases(const Comm&, const GroupShape&) {
  return {{.pattern = FlowPattern::scalar, .numerator = 0, .trips = 1}};
}

}  // namespace

const Algorithm kPairwise{"pairwise", "all-to-all as a flow between any two", true, fits, phases};
const Algorithm kScalar{"scalar", "a few bytes by recursive doubling", true, is_scalar, scalar_phases};

}  // namespace stepsim
