#pragma once
// The mutable form of a cluster: a Boost graph of named nodes and links, changed by faults, then frozen.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster_spec.h"
#include "topology/fabric_tables.h"

namespace stepsim {

/// A link before freezing. Bandwidths in the sense of the file: before efficiency.
struct LinkDraft {
  NodeId from, to;
  std::uint16_t link_class = 0;
  bool half_duplex = false;
  bool dead = false;
  BytesPerSecond nominal;                  ///< as described
  std::optional<BytesPerSecond> degraded;  ///< what a fault left of it
  double efficiency = 1;
  double share = 1;  ///< this link's part of its level's bandwidth
  Seconds latency;
  std::optional<Seconds>
      counted_on_up;  ///< set on the way down from a switch of a level: what the way up holds already
};

/// Index of a LinkDraft; its LinkId is known only after freeze().
using DraftId = Id<struct DraftTag>;

class FabricBuilder {
 public:
  FabricBuilder();
  FabricBuilder(const FabricBuilder&) = delete;
  FabricBuilder& operator=(const FabricBuilder&) = delete;
  ~FabricBuilder();

  /// Devices (accelerators) are numbered in the order in which they are added.
  NodeId add_node(std::string name, NodeKind kind);
  /// The class of this name, new if need be.
  std::uint16_t add_class(const std::string& name);
  DraftId add_link(const LinkDraft& draft);

  [[nodiscard]] std::size_t nodes() const;
  [[nodiscard]] const std::string& node_name(NodeId node) const;
  [[nodiscard]] std::optional<NodeId> find_node(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint16_t> find_class(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& classes() const;
  [[nodiscard]] IdVector<DraftId, LinkDraft>& drafts();
  /// Links that touch `node`, in either direction, by draft number.
  [[nodiscard]] std::vector<DraftId> links_at(NodeId node) const;

  /// Called by freeze() with the finished tables and the LinkId of each draft (kNoLink if dead).
  using MakeRoutes =
      std::function<std::unique_ptr<const RouteFinder>(const FabricTables&, const IdVector<DraftId, LinkId>&)>;
  /// Ends building; the builder is empty afterwards.
  std::unique_ptr<Fabric> freeze(LevelTable levels, const MakeRoutes& make_routes);

 private:
  struct Draft;
  std::unique_ptr<Draft> draft_;
};

/// Bandwidth to engine capacity, rounded to the nearest 2^-16 B/s; infinite: kUnlimited.
Capacity to_capacity(BytesPerSecond bandwidth);

/// Finite capacities must lie between these, so that 2^-16 B/s resolves them and int64 holds them.
inline constexpr BytesPerSecond kLeastBandwidth{1.0};
inline constexpr BytesPerSecond kMostBandwidth{1e14};

}  // namespace stepsim
