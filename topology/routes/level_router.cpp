#include "topology/routes/level_router.h"

namespace stepsim {
namespace {

/// Every head with every tail, heads varying slowest, at most Fabric::kMaxEqualPaths.
std::vector<Path> join(const std::vector<Path>& heads, const std::vector<Path>& tails) {
  std::vector<Path> joined;
  for (const Path& head : heads) {
    for (const Path& tail : tails) {
      if (joined.size() == Fabric::kMaxEqualPaths) return joined;
      joined.push_back(head);
      joined.back().insert(joined.back().end(), tail.begin(), tail.end());
    }
  }
  return joined;
}

}  // namespace

LevelRouter::LevelRouter(const FabricTables& tables, std::vector<std::unique_ptr<const LevelTemplate>> levels,
                         std::unique_ptr<const RouteFinder> fallback)
    : tables_(tables), levels_(std::move(levels)), fallback_(std::move(fallback)) {}

const LevelTemplate& LevelRouter::common(DeviceIndex a, DeviceIndex b) const {
  const std::vector<std::uint32_t>& group = tables_.levels.group_size;
  std::size_t level = 0;
  while (a / group[level] != b / group[level]) ++level;
  return *levels_[level];
}

bool LevelRouter::walk(DeviceIndex from, DeviceIndex to, Path& path) const {
  if (from == to) return true;
  const LevelTemplate& level = common(from, to);
  if (!level.joins_counterparts()) return level.first_leg(from, to, path);
  const DeviceIndex via = level.frame().counterpart(from, to);
  return walk(from, via, path) && level.first_leg(via, to, path);
}

std::vector<Path> LevelRouter::walk_all(DeviceIndex from, DeviceIndex to) const {
  if (from == to) return {Path{}};
  const LevelTemplate& level = common(from, to);
  if (!level.joins_counterparts()) return level.all_legs(from, to);
  const DeviceIndex via = level.frame().counterpart(from, to);
  return join(walk_all(from, via), level.all_legs(via, to));
}

bool LevelRouter::first_route(DeviceId from, DeviceId to, Route& out) const {
  if (walk(from.index(), to.index(), out.links)) {
    out.latency = latency_of(out.links, tables_.links);
    return true;
  }
  std::vector<Route> living = routes(from, to);
  if (living.empty()) return false;
  out = std::move(living.front());
  return true;
}

std::vector<Route> LevelRouter::routes(DeviceId from, DeviceId to) const {
  std::vector<Route> found;
  for (Path& path : walk_all(from.index(), to.index())) {
    const SimTime latency = latency_of(path, tables_.links);
    found.push_back({std::move(path), latency});
  }
  if (!found.empty() || fallback_ == nullptr) return found;
  return fallback_->routes(from, to);
}

}  // namespace stepsim
