#include "topology/level_cluster.h"

#include <fmt/core.h>

#include <algorithm>

#include "topology/routes/graph_router.h"
#include "topology/routes/level_router.h"

namespace stepsim {

std::vector<std::unique_ptr<LevelTemplate>> add_levels(const ClusterSpec& spec, FabricBuilder& builder) {
  LevelFrame frame{static_cast<std::uint32_t>(count_devices(spec)), 1, 1};
  for (std::uint32_t device = 0; device < frame.devices; ++device) {
    builder.add_node(fmt::format("gpu{}", device), NodeKind::accelerator);
  }
  std::vector<std::unique_ptr<LevelTemplate>> levels;
  for (const LevelSpec& level : spec.levels) {
    frame.size = static_cast<std::uint32_t>(level.size);
    levels.push_back(make_level(level, frame));
    builder.add_class(level.name);
    if (level.size > 1) levels.back()->wire(level, builder);
    frame.inner *= frame.size;
  }
  return levels;
}

LevelTable level_table(const ClusterSpec& spec) {
  LevelTable table;
  std::uint32_t group = 1;
  for (const LevelSpec& level : spec.levels) {
    group *= static_cast<std::uint32_t>(level.size);
    table.name.push_back(level.name);
    table.group_size.push_back(group);
    table.overhead.push_back(to_sim_time(level.collective_overhead));
    table.in_network.push_back(level.in_network);
    table.nccl.push_back(level.nccl);
    table.bandwidth.push_back(level.bandwidth);
    table.efficiency.push_back(level.efficiency);
  }
  return table;
}

std::unique_ptr<const RouteFinder> make_level_router(const FabricTables& tables, const IdVector<DraftId, LinkId>& ids,
                                                     std::vector<std::unique_ptr<LevelTemplate>> levels) {
  std::vector<std::unique_ptr<const LevelTemplate>> frozen;
  for (auto& level : levels) {
    level->renumber(ids);
    frozen.push_back(std::move(level));
  }
  const bool some_dead = std::find(ids.begin(), ids.end(), kNoLink) != ids.end();
  std::unique_ptr<const RouteFinder> fallback;
  if (some_dead) fallback = std::make_unique<GraphRouter>(tables);
  return std::make_unique<LevelRouter>(tables, std::move(frozen), std::move(fallback));
}

}  // namespace stepsim
