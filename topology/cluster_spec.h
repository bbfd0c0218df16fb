#pragma once
// A cluster as its user describes it, before it becomes a Fabric.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/units.h"
#include "topology/collective_curve.h"

namespace stepsim {

/// How the members of one level are wired to each other.
enum class LevelKind { switched, ring, mesh, torus, full, rail };

/// One level of a cluster, innermost first. Bandwidth and latency are for each device, each direction, end to end
/// between two members (not for each link of a switch). 'inf' bandwidth is an infinite double.
struct LevelSpec {
  std::string name;  ///< the link class that reports show: "nvlink", "ib"
  LevelKind kind = LevelKind::switched;
  int size = 1;              ///< members of the level: devices of the innermost, groups of the level below elsewhere
  std::vector<int> shape;    ///< mesh and torus: members along each dimension; their product is size
  BytesPerSecond bandwidth;  ///< nominal
  double efficiency = 1;     ///< share of the nominal bandwidth that large messages reach
  Seconds latency;
  Seconds collective_overhead;          ///< start of a collective or transfer that spans this level (launch, protocol)
  bool in_network = false;              ///< switches of this level reduce and copy (NVLS)
  std::optional<CollectiveCurve> nccl;  ///< measured collectives among the members, instead of latency and overhead
  std::string source;                   ///< where the numbers are from; empty: the user's own
  SourceSpan where;
};

enum class NodeKind { accelerator, nic, switch_ };

struct GraphNodeSpec {
  std::string name;
  NodeKind kind = NodeKind::accelerator;
  SourceSpan where;
};

/// A link between two named nodes: a pair of directed links, or with half_duplex one shared by both directions.
struct GraphLinkSpec {
  std::string from, to;
  BytesPerSecond bandwidth;  ///< each direction
  double efficiency = 1;
  Seconds latency;
  std::string link_class = "link";
  bool half_duplex = false;
  SourceSpan where;
};

/// A change of some links before routing. `link_class` or `between` is set, not both.
struct LinkFault {
  std::string link_class;
  std::vector<std::string> between;  ///< two node names
  bool dead = false;
  double bandwidth_factor = 1;              ///< of the nominal bandwidth
  std::optional<BytesPerSecond> bandwidth;  ///< absolute, instead of the factor
  std::optional<Seconds> latency;           ///< replaces the link's
  SourceSpan where;
};

/// Either `levels` or `nodes` + `links`.
struct ClusterSpec {
  std::string name;
  std::vector<LevelSpec> levels;
  std::vector<GraphNodeSpec> nodes;
  std::vector<GraphLinkSpec> links;
  std::vector<LinkFault> faults;
  SourceSpan where;
};

}  // namespace stepsim
