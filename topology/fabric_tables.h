#pragma once
// What a Fabric holds: flat tables that FabricBuilder fills once and nobody changes afterwards.

#include <memory>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/sim_time.h"
#include "sim/base/units.h"
#include "topology/fabric.h"
#include "topology/routes/route_finder.h"

namespace stepsim {

using NodeId = Id<struct NodeTag>;  ///< a device, NIC or switch

/// Stands where a link is missing: the edge of a mesh, or a dead link.
inline constexpr LinkId kNoLink{UINT32_MAX};

/// One row for each directed link; a half-duplex link is one row for both directions. Dead links have no row.
struct LinkTable {
  IdVector<LinkId, NodeId> from, to;
  IdVector<LinkId, Capacity> capacity;
  IdVector<LinkId, BytesPerSecond> nominal;
  IdVector<LinkId, SimTime> latency;
  IdVector<LinkId, std::uint16_t> link_class;
  IdVector<LinkId, std::uint8_t> half_duplex;
};

/// One row for each nested level, innermost first; a graph is one level.
struct LevelTable {
  std::vector<std::string> name;
  std::vector<std::uint32_t> group_size;  ///< devices of one group
  std::vector<SimTime> overhead;
  std::vector<bool> in_network;
  std::vector<std::optional<CollectiveCurve>> nccl;
  std::vector<BytesPerSecond> bandwidth;
  std::vector<double> efficiency;
};

struct FabricTables {
  IdVector<NodeId, std::string> node_name;
  IdVector<DeviceId, NodeId> device_node;
  LinkTable links;
  std::vector<std::string> link_classes;
  LevelTable levels;
  std::unique_ptr<const RouteFinder> routes;  ///< refers to the tables above; they outlive it and don't move
};

struct Fabric::Tables : FabricTables {};

/// Sum of the latencies of `links`.
SimTime latency_of(const std::vector<LinkId>& links, const LinkTable& table);

}  // namespace stepsim
