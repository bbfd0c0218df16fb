#include "topology/check_cluster.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "topology/check_graph.h"
#include "topology/fabric_builder.h"
#include "topology/levels/level_template.h"

namespace stepsim {
namespace {

/// Keeps the sum over the longest routes far inside SimTime's 106 days.
constexpr Seconds kMostLatency{100.0};

bool has_shape(LevelKind kind) { return kind == LevelKind::mesh || kind == LevelKind::torus; }

void check_shape(const CheckedThing& level, const LevelSpec& spec, Diagnostics& diagnostics) {
  if (!has_shape(spec.kind)) {
    if (!spec.shape.empty())
      diagnostics.error(level.where, level.what + " has a shape", "`shape` is for mesh and torus");
    return;
  }
  std::int64_t product = 1;
  for (const int length : spec.shape) product = length < 1 || product > spec.size ? 0 : product * length;
  if (!spec.shape.empty() && product == spec.size) return;
  diagnostics.error(level.where,
                    fmt::format("{}: the shape [{}] does not multiply to its size {}", level.what,
                                fmt::join(spec.shape, ", "), spec.size),
                    "`shape` gives the members along each dimension; their product is `size`");
}

void check_level(const LevelSpec& spec, Diagnostics& diagnostics) {
  const CheckedThing level{fmt::format("level '{}'", spec.name), spec.where};
  if (spec.size < 1) {
    diagnostics.error(spec.where, fmt::format("{} has size {}", level.what, spec.size), "`size` is at least 1");
    return;
  }
  check_shape(level, spec, diagnostics);
  check_bandwidth(level, spec.bandwidth, spec.efficiency, diagnostics);
  check_latency(level, "latency", spec.latency, diagnostics);
  check_latency(level, "collective_overhead", spec.collective_overhead, diagnostics);
}

/// `name` is `base` and then digits only, so "base" + number can be the same text as "name" or "name" + number.
bool continues_with_digits(const std::string& name, const std::string& base) {
  if (name.size() < base.size() || name.compare(0, base.size(), base) != 0) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(base.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

void check_level_names(const std::vector<LevelSpec>& levels, Diagnostics& diagnostics) {
  for (const LevelSpec& level : levels) {
    if (level.name.empty())
      diagnostics.error(level.where, "a level has no name", "its name is its links' class: nvlink, ib");
    if (continues_with_digits(level.name, "gpu")) {
      diagnostics.error(level.where, fmt::format("level '{}' would name its switches like devices", level.name),
                        "devices are gpu0, gpu1, ...: take another name");
    }
    for (const LevelSpec& other : levels) {
      if (&other == &level || other.name.empty() || !continues_with_digits(level.name, other.name)) continue;
      if (level.name == other.name && &level < &other) continue;
      diagnostics.error(level.where,
                        fmt::format("level '{}' would name its switches like level '{}'", level.name, other.name),
                        "a level's switches are its name and a number: give each level its own name");
    }
  }
}

void check_total(const ClusterSpec& spec, Diagnostics& diagnostics) {
  const std::size_t devices = count_devices(spec);
  if (devices > kMaxDevices) {
    diagnostics.error(spec.where, "the product of the levels' sizes is too large",
                      fmt::format("at most {} devices", kMaxDevices));
    return;
  }
  std::size_t links = 0;
  for (const LevelSpec& level : spec.levels) links += devices * links_per_device(level);
  if (links <= kMaxLinks) return;
  diagnostics.error(spec.where, fmt::format("the levels have {} links", links),
                    fmt::format("at most {}; a full level has size - 1 for each device: make it switched", kMaxLinks));
}

void check_levels(const ClusterSpec& spec, Diagnostics& diagnostics) {
  check_level_names(spec.levels, diagnostics);
  for (const LevelSpec& level : spec.levels) check_level(level, diagnostics);
  check_total(spec, diagnostics);
}

void check_fault_values(const LinkFault& fault, Diagnostics& diagnostics) {
  const CheckedThing thing{"a slow link", fault.where};
  if (fault.link_class.empty() == fault.between.empty()) {
    diagnostics.error(fault.where, "a slow or dead link needs `class` or `between`, and not both");
  } else if (!fault.between.empty() && fault.between.size() != 2) {
    diagnostics.error(fault.where, fmt::format("`between` has {} names", fault.between.size()), "it takes two nodes");
  }
  if (fault.bandwidth) check_bandwidth(thing, *fault.bandwidth, 1, diagnostics);
  if (fault.latency) check_latency(thing, "latency", *fault.latency, diagnostics);
  if (!(fault.bandwidth_factor > 0) || std::isinf(fault.bandwidth_factor)) {
    diagnostics.error(fault.where, "a slow link's bandwidth must be more than 0 %", "`dead_links` removes a link");
  }
}

}  // namespace

void check_bandwidth(const CheckedThing& thing, BytesPerSecond bandwidth, double efficiency, Diagnostics& diagnostics) {
  if (!(efficiency > 0 && efficiency <= 1)) {
    diagnostics.error(thing.where, fmt::format("{}: efficiency {} is not a share", thing.what, efficiency),
                      "more than 0 %, at most 100 %");
    return;
  }
  const BytesPerSecond effective = bandwidth * efficiency;
  if (std::isinf(effective.value()) && effective.value() > 0) return;
  if (effective >= kLeastBandwidth && effective <= kMostBandwidth) return;
  diagnostics.error(thing.where,
                    fmt::format("{}: bandwidth {:g} B/s can't be simulated", thing.what, effective.value()),
                    "between 1 B/s and 100 TB/s, or inf");
}

void check_latency(const CheckedThing& thing, const char* key, Seconds latency, Diagnostics& diagnostics) {
  if (latency >= Seconds() && latency <= kMostLatency) return;
  diagnostics.error(thing.where, fmt::format("{}: {} {:g} s can't be simulated", thing.what, key, latency.value()),
                    "between 0 s and 100 s");
}

void check_cluster(const ClusterSpec& spec, Diagnostics& diagnostics) {
  for (const LinkFault& fault : spec.faults) check_fault_values(fault, diagnostics);
  if (!spec.levels.empty() && (!spec.nodes.empty() || !spec.links.empty())) {
    diagnostics.error(spec.where, "the cluster has both `levels` and a graph", "give one of them");
  } else if (!spec.levels.empty()) {
    check_levels(spec, diagnostics);
  } else {
    check_graph(spec, diagnostics);
  }
}

}  // namespace stepsim
