#pragma once
// Kernels and communications of a step, each different one once.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/step_graph.h"

namespace stepsim {

class WorkTables {
 public:
  KernelId intern(const Kernel& kernel);
  CommId intern(const Comm& comm);
  /// Hands both tables to the graph.
  void move_to(StepGraph& graph);

 private:
  IdVector<KernelId, Kernel> kernels_;
  IdVector<CommId, Comm> comms_;
  std::unordered_map<std::size_t, std::vector<KernelId>> kernels_by_hash_;
  std::unordered_map<std::size_t, std::vector<CommId>> comms_by_hash_;
};

}  // namespace stepsim
