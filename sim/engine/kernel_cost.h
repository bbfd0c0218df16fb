#pragma once
// How long a kernel takes on an accelerator.

#include "sim/base/units.h"
#include "sim/engine/accelerator.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// Device time of one kernel alone on the chip, launch by the host not included. The formulas and their sources stand
/// at the definitions. Throws SimError if the accelerator has no peak for the kernel's dtype.
Seconds kernel_time(const Kernel& kernel, const Accelerator& accelerator);

}  // namespace stepsim
