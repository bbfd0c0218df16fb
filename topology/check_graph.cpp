#include "topology/check_graph.h"

#include <fmt/core.h>

#include <set>

#include "topology/check_cluster.h"
#include "topology/fabric.h"
#include "topology/name_help.h"

namespace stepsim {
namespace {

void check_nodes(const ClusterSpec& spec, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const GraphNodeSpec& node : spec.nodes) {
    if (node.name.empty()) diagnostics.error(node.where, "a node has no name");
    if (!node.name.empty() && !seen.insert(node.name).second) {
      diagnostics.error(node.where, fmt::format("two nodes are named '{}'", node.name), "names must differ");
    }
  }
  const std::size_t devices = count_devices(spec);
  if (devices == 0) {
    diagnostics.error(spec.where, "the cluster has no accelerators", "give `levels`, or a graph with accelerators");
  }
}

class LinkChecker {
 public:
  LinkChecker(const ClusterSpec& spec, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const GraphNodeSpec& node : spec.nodes) names_.insert(node.name);
  }

  void check(const GraphLinkSpec& link) {
    check_end(link, link.from);
    check_end(link, link.to);
    const CheckedThing thing{fmt::format("link {} - {}", link.from, link.to), link.where};
    if (link.from == link.to) diagnostics_.error(link.where, thing.what + " joins a node to itself");
    if (link.link_class.empty()) diagnostics_.error(link.where, thing.what + " has an empty class");
    check_bandwidth(thing, link.bandwidth, link.efficiency, diagnostics_);
    check_latency(thing, "latency", link.latency, diagnostics_);
  }

 private:
  void check_end(const GraphLinkSpec& link, const std::string& name) {
    if (names_.count(name) != 0) return;
    diagnostics_.error(link.where, fmt::format("a link ends at '{}', which is no node", name),
                       name_help(name, {names_.begin(), names_.end()}));
  }

  std::set<std::string> names_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_graph(const ClusterSpec& spec, Diagnostics& diagnostics) {
  check_nodes(spec, diagnostics);
  if (spec.nodes.size() > kMaxDevices || spec.links.size() > kMaxLinks / 2) {
    diagnostics.error(spec.where, "the graph is too large", fmt::format("at most {} nodes", kMaxDevices));
  }
  LinkChecker checker(spec, diagnostics);
  for (const GraphLinkSpec& link : spec.links) checker.check(link);
}

}  // namespace stepsim
