#pragma once
// Routes of a cluster made of levels, in closed form: no search, time in proportion to the links of the route.

#include <memory>
#include <vector>

#include "topology/levels/level_template.h"

namespace stepsim {

/// A route stays in the innermost group that holds both devices. Where that level joins only counterparts, the route
/// first moves, inside the sender's member and by this same rule, to the device that has the target's place. Slow links
/// don't change a route; a pair whose every closed-form route is dead is searched in the whole graph (`fallback`).
class LevelRouter final : public RouteFinder {
 public:
  /// `fallback` is null if no link is dead.
  LevelRouter(const FabricTables& tables, std::vector<std::unique_ptr<const LevelTemplate>> levels,
              std::unique_ptr<const RouteFinder> fallback);

  bool first_route(DeviceId from, DeviceId to, Route& out) const override;
  [[nodiscard]] std::vector<Route> routes(DeviceId from, DeviceId to) const override;

 private:
  [[nodiscard]] const LevelTemplate& common(DeviceIndex a, DeviceIndex b) const;
  bool walk(DeviceIndex from, DeviceIndex to, Path& path) const;
  [[nodiscard]] std::vector<Path> walk_all(DeviceIndex from, DeviceIndex to) const;

  const FabricTables& tables_;
  std::vector<std::unique_ptr<const LevelTemplate>> levels_;
  std::unique_ptr<const RouteFinder> fallback_;
};

}  // namespace stepsim
