#pragma once
// How a Fabric finds its routes: closed form (level_router.h) or search (graph_router.h).

#include <vector>

#include "sim/base/ids.h"

namespace stepsim {

struct Route;

/// Immutable, so that threads can share it. `from` and `to` differ; the devices are in range.
class RouteFinder {
 public:
  virtual ~RouteFinder() = default;
  /// Fills `out`, which comes in empty. False, and `out` undefined, if there is no way.
  virtual bool first_route(DeviceId from, DeviceId to, Route& out) const = 0;
  /// Routes of equal cost in a fixed order, first_route's first; empty if there is no way.
  [[nodiscard]] virtual std::vector<Route> routes(DeviceId from, DeviceId to) const = 0;
};

}  // namespace stepsim
