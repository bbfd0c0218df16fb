#pragma once
// From a model, a layout and a workload to the work of one step. Pure: no time, no clock, no file, no log.

#include "workloads/layout.h"
#include "workloads/model.h"
#include "workloads/step_graph.h"
#include "workloads/workload.h"

namespace stepsim {

/// What lowering reads. It has passed layout_problems() without a finding.
struct StepSpec {
  ModelSpec model;
  Layout layout;
  Workload workload;
  Overlap overlap;
  ContextParallel context_parallel;
  Stack stack;
  Bytes memory_capacity;  ///< of one device; `recompute: auto` picks the least that fits it
};

/// The programs of all classes of ranks, the kernels and communications they use, memory and model flops.
StepGraph lower(const StepSpec& spec);

}  // namespace stepsim
