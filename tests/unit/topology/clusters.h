#pragma once
// Small clusters and readable routes for the tests of topology.

#include <string>
#include <vector>

#include "topology/fabric.h"

namespace stepsim::topology_test {

inline LevelSpec level(std::string name, LevelKind kind, int size, double bandwidth, double latency) {
  LevelSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  spec.size = size;
  spec.bandwidth = BytesPerSecond(bandwidth);
  spec.latency = Seconds(latency);
  return spec;
}

inline LevelSpec shaped(LevelKind kind, std::vector<int> shape) {
  int size = 1;
  for (const int length : shape) size *= length;
  LevelSpec spec = level("link", kind, size, 100e9, 1e-6);
  spec.shape = std::move(shape);
  return spec;
}

inline GraphNodeSpec node(std::string name, NodeKind kind = NodeKind::accelerator) {
  GraphNodeSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  return spec;
}

inline GraphLinkSpec link(std::string from, std::string to, double bandwidth, double latency) {
  GraphLinkSpec spec;
  spec.from = std::move(from);
  spec.to = std::move(to);
  spec.bandwidth = BytesPerSecond(bandwidth);
  spec.latency = Seconds(latency);
  return spec;
}

inline LinkFault dead_between(std::string a, std::string b) {
  LinkFault fault;
  fault.between = {std::move(a), std::move(b)};
  fault.dead = true;
  return fault;
}

inline ClusterSpec levels(std::vector<LevelSpec> list) {
  ClusterSpec spec;
  spec.levels = std::move(list);
  return spec;
}

inline std::string all_messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& item : diagnostics.all()) text += item.message + " (" + item.help + ")\n";
  return text;
}

/// Builds; what is wrong becomes an exception that the test shows.
inline Fabric build(const ClusterSpec& spec) {
  Diagnostics diagnostics;
  std::unique_ptr<Fabric> fabric = build_fabric(spec, diagnostics);
  if (fabric == nullptr) throw std::runtime_error(all_messages(diagnostics));
  return std::move(*fabric);
}

/// The errors of a spec that must not build; "built" if it does.
inline std::string errors_of(const ClusterSpec& spec) {
  Diagnostics diagnostics;
  if (build_fabric(spec, diagnostics) != nullptr) return "built";
  return all_messages(diagnostics);
}

inline std::string text(const Fabric& fabric, const Route& route) {
  std::string names;
  for (const LinkId id : route.links) names += (names.empty() ? "" : ", ") + fabric.link_name(id);
  return names;
}

inline DeviceId device(std::uint32_t number) { return DeviceId(number); }

inline Route first(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  Route route;
  fabric.first_route(device(from), device(to), route);
  return route;
}

inline std::string first_text(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  return text(fabric, first(fabric, from, to));
}

inline std::vector<std::string> all_texts(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  std::vector<std::string> texts;
  for (const Route& route : fabric.routes(device(from), device(to))) texts.push_back(text(fabric, route));
  return texts;
}

inline LinkId find_link(const Fabric& fabric, const std::string& name) {
  for (std::size_t i = 0; i < fabric.links(); ++i) {
    if (fabric.link_name(LinkId(i)) == name) return LinkId(i);
  }
  throw std::runtime_error("no link " + name);
}

/// Capacity of a bandwidth, by the definition in fabric.h.
inline Capacity units(double bytes_per_second) { return static_cast<Capacity>(bytes_per_second * 65536); }

}  // namespace stepsim::topology_test
