#include "workloads/step_graph.h"

namespace stepsim {

const char* name_of(CommKind kind) {
  static constexpr std::array<const char*, 9> kNames{"all_reduce", "all_gather", "reduce_scatter",
                                                     "all_to_all", "broadcast",  "scalar_all_reduce",
                                                     "ring_hop",   "send",       "recv"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(PassKind kind) {
  static constexpr std::array<const char*, 7> kNames{"forward",        "backward",      "recompute", "weight_gradient",
                                                     "parameter_sync", "gradient_sync", "optimizer"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace stepsim
