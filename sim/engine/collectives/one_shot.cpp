#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape& shape) { return comm.kind == CommKind::all_reduce && shape.nodes == 1; }

std::vector<Phase> phases(const Comm&, const GroupShape&) { return {{.pattern = FlowPattern::all_pairs, .hops = 1}}; }

}  // namespace

const Algorithm kOneShot{"one_shot", "everybody sends everything to everybody, for small messages", false, fits,
                         phases};

}  // namespace stepsim
