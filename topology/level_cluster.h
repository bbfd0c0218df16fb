#pragma once
// A cluster of nested levels, every group of a level like every other.

#include "topology/fabric_builder.h"
#include "topology/levels/level_template.h"

namespace stepsim {

/// Adds the devices ("gpu0", "gpu1", ...), and each level's switches and links, innermost first. One template for each
/// level, to be renumbered when the builder is frozen. The spec has been checked.
std::vector<std::unique_ptr<LevelTemplate>> add_levels(const ClusterSpec& spec, FabricBuilder& builder);

LevelTable level_table(const ClusterSpec& spec);

/// The router over the templates, once their links have numbers.
std::unique_ptr<const RouteFinder> make_level_router(const FabricTables& tables, const IdVector<DraftId, LinkId>& ids,
                                                     std::vector<std::unique_ptr<LevelTemplate>> levels);

}  // namespace stepsim
