#pragma once
// Which links the communications of each axis cross.

#include <array>

#include "sim/engine/step_report.h"
#include "topology/fabric.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// `used`, `link_classes`, `group_size` and `crosses_level` of each axis, seen from the first rank of every program.
std::array<AxisLinks, kAxes> find_axis_links(const StepGraph& graph, const Fabric& fabric);

}  // namespace stepsim
