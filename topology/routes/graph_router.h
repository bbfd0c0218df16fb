#pragma once
// Routes by search: fewest links, then least latency, over the frozen graph of all living links.

#include <memory>

#include "topology/fabric_tables.h"

namespace stepsim {

/// Keeps the distances to every device where they take less than kCachedDistances rows; else each call searches.
class GraphRouter final : public RouteFinder {
 public:
  explicit GraphRouter(const FabricTables& tables);
  GraphRouter(const GraphRouter&) = delete;
  GraphRouter& operator=(const GraphRouter&) = delete;
  ~GraphRouter() override;

  bool first_route(DeviceId from, DeviceId to, Route& out) const override;
  /// In the order of the links' numbers, first link first.
  [[nodiscard]] std::vector<Route> routes(DeviceId from, DeviceId to) const override;

  /// Devices x nodes; 16 bytes each, so 16 MB at most.
  static constexpr std::size_t kCachedDistances = std::size_t{1} << 20;

 private:
  struct Search;
  struct Nearer;
  std::unique_ptr<const Search> search_;
};

}  // namespace stepsim
