#pragma once
// The cluster as the engine sees it: devices, directed links, routes. Built once, then frozen.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/ids.h"
#include "sim/base/sim_time.h"
#include "sim/base/units.h"
#include "topology/cluster_spec.h"

namespace stepsim {

/// Capacity in 2^-16 B/s; kUnlimited for a link that never limits.
using Capacity = std::int64_t;
inline constexpr Capacity kUnlimited = INT64_MAX;

/// One way from a device to another: the links in order and the sum of their latencies.
struct Route {
  std::vector<LinkId> links;
  SimTime latency;
};

class RouteFinder;

/// Immutable. Links are directed; a half-duplex link is one LinkId in both directions. Devices are numbered
/// innermost level first (levels), or in the order in which the file names them (graph).
class Fabric {
 public:
  Fabric(Fabric&&) noexcept;
  Fabric& operator=(Fabric&&) noexcept;
  ~Fabric();

  [[nodiscard]] std::size_t devices() const;
  [[nodiscard]] std::size_t links() const;
  [[nodiscard]] const std::string& device_name(DeviceId device) const;
  [[nodiscard]] std::string link_name(LinkId link) const;  ///< "gpu3 -> nvlink0"
  [[nodiscard]] Capacity capacity(LinkId link) const;      ///< after efficiency and faults
  [[nodiscard]] BytesPerSecond nominal_bandwidth(LinkId link) const;
  [[nodiscard]] std::uint16_t link_class(LinkId link) const;
  [[nodiscard]] const std::vector<std::string>& link_classes() const;  ///< names, by class number

  /// All cheapest routes (equal-cost paths; fewest links, then least latency) from `from` to `to`, never empty: throws
  /// SimError naming both devices if there is none. At most kMaxEqualPaths, in a fixed order. from == to: one empty
  /// route. On levels, routes follow the wiring and not the latencies (docs/topology.md): they may then differ in
  /// latency.
  [[nodiscard]] std::vector<Route> routes(DeviceId from, DeviceId to) const;
  /// The first of them. What the engine uses where it does not spread traffic; fills `out` (cleared first).
  void first_route(DeviceId from, DeviceId to, Route& out) const;

  /// Number of nested levels (1 for a graph).
  [[nodiscard]] int levels() const;
  /// The smallest level in which both devices are members of one group: 0 innermost. A graph: always 0.
  [[nodiscard]] int common_level(DeviceId a, DeviceId b) const;
  /// Devices of one group of `level` (levels are regular); a graph: all devices.
  [[nodiscard]] std::size_t group_size(int level) const;
  [[nodiscard]] const std::string& level_name(int level) const;
  /// Start of a collective or transfer that spans `level`.
  [[nodiscard]] SimTime collective_overhead(int level) const;
  /// Measured collectives inside a group of `level`, nullptr where there are none.
  [[nodiscard]] const CollectiveCurve* collective_curve(int level) const;
  /// Nominal bandwidth of a device at `level`, and the share of it that large messages reach.
  [[nodiscard]] BytesPerSecond level_bandwidth(int level) const;
  [[nodiscard]] double level_efficiency(int level) const;
  /// Do the switches of `level` reduce and copy (NVLS)?
  [[nodiscard]] bool reduces_in_network(int level) const;

  static constexpr std::size_t kMaxEqualPaths = 16;

 private:
  friend class FabricBuilder;
  struct Tables;
  explicit Fabric(std::unique_ptr<const Tables> tables);
  std::unique_ptr<const Tables> tables_;
};

/// Builds and checks a cluster. Errors (unknown node in a link or fault, non-positive bandwidth, shape that is not the
/// size, duplicate names, an empty cluster) go to `diagnostics`; then the result is empty.
std::unique_ptr<Fabric> build_fabric(const ClusterSpec& spec, Diagnostics& diagnostics);

/// Devices that a spec describes, without building it (product of level sizes, or the accelerators of the graph).
std::size_t count_devices(const ClusterSpec& spec);

}  // namespace stepsim
