#pragma once
// What must hold before a cluster given link by link can be built.

#include "topology/cluster_spec.h"

namespace stepsim {

/// Reports duplicate and missing node names, links that end nowhere, and values out of range.
void check_graph(const ClusterSpec& spec, Diagnostics& diagnostics);

}  // namespace stepsim
