#include "sim/engine/collectives/algorithm.h"

namespace stepsim {

namespace {

bool fits(const Comm& comm, const GroupShape& shape) { return comm.kind == CommKind::all_reduce && shape.in_network; }

// NVLS (NCCL 2.17; multimem instructions of NVLink SHARP): every port carries the payload once up and once down. Those
// are the links of a ring's flows, each once.
std::vector<Phase> phases(const Comm&, const GroupShape&) { return {{.pattern = FlowPattern::ring, .hops = 1}}; }

}  // namespace

const Algorithm kInNetwork{"in_network", "switches reduce and copy (NVLS)", true, fits, phases};

}  // namespace stepsim
