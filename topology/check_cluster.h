#pragma once
// What must hold before a cluster can be built.

#include "topology/cluster_spec.h"

namespace stepsim {

/// Reports everything that is wrong with the levels, nodes, links and the values of the faults. Names in faults are
/// checked when the links exist (faults.h).
void check_cluster(const ClusterSpec& spec, Diagnostics& diagnostics);

/// For the three checks below and the faults: "level 'nvlink'", where it stands, where to report.
struct CheckedThing {
  std::string what;
  SourceSpan where;
};
void check_bandwidth(const CheckedThing& thing, BytesPerSecond bandwidth, double efficiency, Diagnostics& diagnostics);
void check_latency(const CheckedThing& thing, const char* key, Seconds latency, Diagnostics& diagnostics);

/// More devices or links than this is taken for a mistake in the sizes.
inline constexpr std::size_t kMaxDevices = std::size_t{1} << 22;
inline constexpr std::size_t kMaxLinks = std::size_t{1} << 26;

}  // namespace stepsim
