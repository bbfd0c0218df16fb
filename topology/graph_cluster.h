#pragma once
// A cluster given link by link.

#include "topology/fabric_builder.h"

namespace stepsim {

/// Adds the nodes and links in the order of the file. The spec has been checked.
void add_graph(const ClusterSpec& spec, FabricBuilder& builder);

/// The whole graph is one level, without overhead.
LevelTable graph_level_table(std::size_t devices);

}  // namespace stepsim
