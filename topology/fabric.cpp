#include "topology/fabric.h"

#include <fmt/core.h>

#include "sim/base/error.h"
#include "topology/fabric_tables.h"

namespace stepsim {
namespace {

[[noreturn]] void throw_unreachable(const std::string& from, const std::string& to) {
  throw SimError(
      fmt::format("no route from {} to {}: the cluster's links (without dead ones) do not connect them", from, to));
}

}  // namespace

SimTime latency_of(const std::vector<LinkId>& links, const LinkTable& table) {
  SimTime sum;
  for (const LinkId link : links) sum += table.latency[link];
  return sum;
}

Fabric::Fabric(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
Fabric::Fabric(Fabric&&) noexcept = default;
Fabric& Fabric::operator=(Fabric&&) noexcept = default;
Fabric::~Fabric() = default;

std::size_t Fabric::devices() const { return tables_->device_node.size(); }
std::size_t Fabric::links() const { return tables_->links.from.size(); }
const std::string& Fabric::device_name(DeviceId device) const {
  return tables_->node_name[tables_->device_node[device]];
}

std::string Fabric::link_name(LinkId link) const {
  const LinkTable& links = tables_->links;
  const char* arrow = links.half_duplex[link] != 0 ? "<->" : "->";
  return fmt::format("{} {} {}", tables_->node_name[links.from[link]], arrow, tables_->node_name[links.to[link]]);
}

Capacity Fabric::capacity(LinkId link) const { return tables_->links.capacity[link]; }
BytesPerSecond Fabric::nominal_bandwidth(LinkId link) const { return tables_->links.nominal[link]; }
std::uint16_t Fabric::link_class(LinkId link) const { return tables_->links.link_class[link]; }
const std::vector<std::string>& Fabric::link_classes() const { return tables_->link_classes; }

std::vector<Route> Fabric::routes(DeviceId from, DeviceId to) const {
  if (from == to) return {Route{}};
  std::vector<Route> found = tables_->routes->routes(from, to);
  if (found.empty()) throw_unreachable(device_name(from), device_name(to));
  return found;
}

void Fabric::first_route(DeviceId from, DeviceId to, Route& out) const {
  out.links.clear();
  out.latency = SimTime();
  if (from == to) return;
  if (!tables_->routes->first_route(from, to, out)) throw_unreachable(device_name(from), device_name(to));
}

int Fabric::levels() const { return static_cast<int>(tables_->levels.name.size()); }

int Fabric::common_level(DeviceId a, DeviceId b) const {
  const std::vector<std::uint32_t>& group = tables_->levels.group_size;
  std::size_t level = 0;
  while (level + 1 < group.size() && a.index() / group[level] != b.index() / group[level]) ++level;
  return static_cast<int>(level);
}

std::size_t Fabric::group_size(int level) const {
  return tables_->levels.group_size.at(static_cast<std::size_t>(level));
}
const std::string& Fabric::level_name(int level) const {
  return tables_->levels.name.at(static_cast<std::size_t>(level));
}
const CollectiveCurve* Fabric::collective_curve(int level) const {
  const auto& curve = tables_->levels.nccl.at(static_cast<std::size_t>(level));
  return curve ? &*curve : nullptr;
}

BytesPerSecond Fabric::level_bandwidth(int level) const {
  return tables_->levels.bandwidth.at(static_cast<std::size_t>(level));
}

double Fabric::level_efficiency(int level) const {
  return tables_->levels.efficiency.at(static_cast<std::size_t>(level));
}

bool Fabric::reduces_in_network(int level) const {
  return tables_->levels.in_network.at(static_cast<std::size_t>(level));
}

SimTime Fabric::collective_overhead(int level) const {
  return tables_->levels.overhead.at(static_cast<std::size_t>(level));
}

}  // namespace stepsim
