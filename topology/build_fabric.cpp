#include <algorithm>

#include "topology/check_cluster.h"
#include "topology/fabric.h"
#include "topology/fabric_builder.h"
#include "topology/faults.h"
#include "topology/graph_cluster.h"
#include "topology/level_cluster.h"
#include "topology/routes/graph_router.h"

namespace stepsim {
namespace {

std::unique_ptr<Fabric> build_levels(const ClusterSpec& spec, Diagnostics& diagnostics) {
  FabricBuilder builder;
  std::vector<std::unique_ptr<LevelTemplate>> levels = add_levels(spec, builder);
  apply_faults(spec.faults, builder, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return builder.freeze(level_table(spec), [&](const FabricTables& tables, const IdVector<DraftId, LinkId>& ids) {
    return make_level_router(tables, ids, std::move(levels));
  });
}

std::unique_ptr<Fabric> build_graph(const ClusterSpec& spec, Diagnostics& diagnostics) {
  FabricBuilder builder;
  add_graph(spec, builder);
  apply_faults(spec.faults, builder, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return builder.freeze(graph_level_table(count_devices(spec)),
                        [](const FabricTables& tables, const auto&) { return std::make_unique<GraphRouter>(tables); });
}

}  // namespace

std::unique_ptr<Fabric> build_fabric(const ClusterSpec& spec, Diagnostics& diagnostics) {
  Diagnostics found;
  check_cluster(spec, found);
  std::unique_ptr<Fabric> fabric;
  if (!found.has_errors()) fabric = spec.levels.empty() ? build_graph(spec, found) : build_levels(spec, found);
  diagnostics.append(found);
  return fabric;
}

std::size_t count_devices(const ClusterSpec& spec) {
  if (spec.levels.empty()) {
    return static_cast<std::size_t>(std::count_if(spec.nodes.begin(), spec.nodes.end(), [](const GraphNodeSpec& node) {
      return node.kind == NodeKind::accelerator;
    }));
  }
  std::size_t product = 1;
  for (const LevelSpec& level : spec.levels) {
    const std::size_t size = level.size < 1 ? 0 : static_cast<std::size_t>(level.size);
    if (size != 0 && product > SIZE_MAX / size) return SIZE_MAX;
    product *= size;
  }
  return product;
}

}  // namespace stepsim
