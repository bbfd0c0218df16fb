#pragma once
// Slow and dead links: changes of the drafts before freezing.

#include "topology/fabric_builder.h"

namespace stepsim {

/// Applies the faults in order; each starts from the nominal bandwidth, so the last one that sets a value decides.
/// Reports classes, nodes and links that do not exist, and bandwidths that can't be simulated. Values were checked.
///
/// `between` names two nodes, or a node and a class: then all links of the class at that node. On a level with
/// switches, `latency` is end to end, as the level's is.
void apply_faults(const std::vector<LinkFault>& faults, FabricBuilder& builder, Diagnostics& diagnostics);

}  // namespace stepsim
