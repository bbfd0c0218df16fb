#include "topology/faults.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "topology/check_cluster.h"
#include "topology/name_help.h"

namespace stepsim {
namespace {

std::vector<std::string> node_names(const FabricBuilder& builder) {
  std::vector<std::string> names;
  for (std::size_t node = 0; node < builder.nodes(); ++node) names.push_back(builder.node_name(NodeId(node)));
  return names;
}

/// The links that one fault names; empty after a report.
class Selector {
 public:
  Selector(const LinkFault& fault, FabricBuilder& builder, Diagnostics& diagnostics)
      : fault_(fault), builder_(builder), diagnostics_(diagnostics) {}

  std::vector<DraftId> select() {
    if (!fault_.link_class.empty()) return of_class();
    return between(fault_.between[0], fault_.between[1]);
  }

 private:
  std::vector<DraftId> of_class() {
    std::vector<DraftId> found;
    const auto link_class = builder_.find_class(fault_.link_class);
    if (!link_class) {
      report(fmt::format("no link has class '{}'", fault_.link_class),
             name_help(fault_.link_class, builder_.classes()));
      return found;
    }
    for (std::size_t i = 0; i < builder_.drafts().size(); ++i) {
      if (builder_.drafts()[DraftId(i)].link_class == *link_class) found.push_back(DraftId(i));
    }
    return found;
  }

  std::vector<DraftId> between(const std::string& first, const std::string& second) {
    const auto a = builder_.find_node(first);
    const auto b = builder_.find_node(second);
    if (a && b) return join_report(*a, *b);
    if (a && builder_.find_class(second)) return at(*a, *builder_.find_class(second));
    if (b && builder_.find_class(first)) return at(*b, *builder_.find_class(first));
    if (!a) report_node(first);
    if (!b) report_node(second);
    return {};
  }

  std::vector<DraftId> join_report(NodeId a, NodeId b) {
    std::vector<DraftId> found = builder_.links_at(a);
    const auto misses = [&](DraftId id) { return !joins(builder_.drafts()[id], b); };
    found.erase(std::remove_if(found.begin(), found.end(), misses), found.end());
    if (found.empty() || a == b) {
      report(fmt::format("no link between {} and {}", builder_.node_name(a), builder_.node_name(b)),
             neighbours_help(a));
    }
    return found;
  }

  std::vector<DraftId> at(NodeId node, std::uint16_t link_class) {
    std::vector<DraftId> found = builder_.links_at(node);
    const auto misses = [&](DraftId id) { return builder_.drafts()[id].link_class != link_class; };
    found.erase(std::remove_if(found.begin(), found.end(), misses), found.end());
    if (found.empty()) {
      report(fmt::format("{} has no link of class '{}'", builder_.node_name(node), builder_.classes()[link_class]),
             neighbours_help(node));
    }
    return found;
  }

  static bool joins(const LinkDraft& link, NodeId node) { return link.from == node || link.to == node; }

  std::string neighbours_help(NodeId node) {
    std::vector<std::string> names;
    for (const DraftId id : builder_.links_at(node)) {
      const LinkDraft& link = builder_.drafts()[id];
      const std::string& name = builder_.node_name(link.from == node ? link.to : link.from);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      if (names.size() > 8) break;
    }
    return fmt::format("{} is joined to: {}", builder_.node_name(node), fmt::join(names, ", "));
  }

  void report_node(const std::string& name) {
    report(fmt::format("the cluster has no node '{}'", name), name_help(name, node_names(builder_)));
  }
  void report(std::string message, std::string help) {
    diagnostics_.error(fault_.where, std::move(message), std::move(help));
  }

  const LinkFault& fault_;
  FabricBuilder& builder_;
  Diagnostics& diagnostics_;
};

/// Transfers over the way down have paid the latency of some way up already. By class all ways up are changed, so
/// nothing is left to pay here; a single slow link pays the difference, so that what arrives over it takes `latency`.
void set_latency(LinkDraft& link, Seconds latency, bool whole_class) {
  if (!link.counted_on_up) {
    link.latency = latency;
  } else if (whole_class) {
    link.latency = Seconds();
    link.counted_on_up = latency;
  } else {
    link.latency = std::max(Seconds(), latency - *link.counted_on_up);
  }
}

BytesPerSecond degraded_bandwidth(const LinkDraft& link, const LinkFault& fault, bool whole_class) {
  if (!fault.bandwidth) return link.nominal * fault.bandwidth_factor;
  return *fault.bandwidth * (whole_class ? link.share : 1.0);
}

void change(LinkDraft& link, const LinkFault& fault) {
  const bool whole_class = !fault.link_class.empty();
  if (fault.dead) link.dead = true;
  if (fault.bandwidth || fault.bandwidth_factor != 1) link.degraded = degraded_bandwidth(link, fault, whole_class);
  if (fault.latency) set_latency(link, *fault.latency, whole_class);
}

void apply_fault(const LinkFault& fault, FabricBuilder& builder, Diagnostics& diagnostics) {
  for (const DraftId id : Selector(fault, builder, diagnostics).select()) {
    LinkDraft& link = builder.drafts()[id];
    change(link, fault);
    if (!link.degraded) continue;
    const std::size_t before = diagnostics.all().size();
    check_bandwidth({"a slow link", fault.where}, *link.degraded, link.efficiency, diagnostics);
    if (diagnostics.all().size() != before) return;
  }
}

}  // namespace

void apply_faults(const std::vector<LinkFault>& faults, FabricBuilder& builder, Diagnostics& diagnostics) {
  for (const LinkFault& fault : faults) apply_fault(fault, builder, diagnostics);
}

}  // namespace stepsim
