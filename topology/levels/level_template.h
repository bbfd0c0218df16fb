#pragma once
// One level of a cluster that is described by `levels`: how it wires its members and how it walks between two of them.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "topology/cluster_spec.h"
#include "topology/fabric_builder.h"

namespace stepsim {

using Path = std::vector<LinkId>;
/// A device by its number; nodes of a levels cluster begin with the devices, so it is also its NodeId.
using DeviceIndex = std::uint32_t;

/// Device d is device d % inner of member d / inner % size of group d / (inner * size).
struct LevelFrame {
  std::uint32_t devices = 1;  ///< of the whole cluster
  std::uint32_t inner = 1;    ///< devices of one member: a group of the level below
  std::uint32_t size = 1;     ///< members of one group

  [[nodiscard]] std::uint32_t member(DeviceIndex device) const { return device / inner % size; }
  /// The device of `device`'s member that has the place of `target` in its own member.
  [[nodiscard]] DeviceIndex counterpart(DeviceIndex device, DeviceIndex target) const {
    return device - device % inner + target % inner;
  }
};

/// Mutable until renumber(), immutable afterwards. The two devices of a leg are members of one group and differ.
class LevelTemplate {
 public:
  LevelTemplate(LevelFrame frame, std::size_t ports_per_device)
      : frame_(frame), ports_per_device_(ports_per_device), drafts_(frame.devices * ports_per_device, kNoDraft) {}
  LevelTemplate(const LevelTemplate&) = delete;
  LevelTemplate& operator=(const LevelTemplate&) = delete;
  virtual ~LevelTemplate() = default;

  /// Adds the level's switches and links.
  virtual void wire(const LevelSpec& spec, FabricBuilder& builder) = 0;
  /// True if links join only devices of equal place in their members, so that a transfer first goes, inside its
  /// member, to the device that has the target's place.
  [[nodiscard]] virtual bool joins_counterparts() const = 0;
  /// Appends the first of the shortest ways. False if a link of it is dead.
  virtual bool first_leg(DeviceIndex from, DeviceIndex to, Path& path) const = 0;
  /// Shortest ways without dead links, first_leg's first where that one lives; at most Fabric::kMaxEqualPaths.
  [[nodiscard]] virtual std::vector<Path> all_legs(DeviceIndex from, DeviceIndex to) const;

  [[nodiscard]] const LevelFrame& frame() const { return frame_; }
  /// Takes the final link numbers.
  void renumber(const IdVector<DraftId, LinkId>& ids);

 protected:
  static constexpr DraftId kNoDraft{UINT32_MAX};

  void set_port(DeviceIndex device, std::size_t port, DraftId link) { drafts_[slot(device, port)] = link; }
  [[nodiscard]] LinkId port(DeviceIndex device, std::size_t port) const { return links_[slot(device, port)]; }
  /// Appends the link behind a port; false if there is none.
  bool take(DeviceIndex device, std::size_t port, Path& path) const;

 private:
  [[nodiscard]] std::size_t slot(DeviceIndex device, std::size_t port) const {
    return device * ports_per_device_ + port;
  }

  LevelFrame frame_;
  std::size_t ports_per_device_;
  std::vector<DraftId> drafts_;
  std::vector<LinkId> links_;
};

/// The template for the kind of `spec`, which has been checked.
std::unique_ptr<LevelTemplate> make_level(const LevelSpec& spec, LevelFrame frame);

/// Links that a level of this size adds for each device.
std::size_t links_per_device(const LevelSpec& spec);

/// A draft of a link of the level, with everything but its ends.
LinkDraft level_link(const LevelSpec& spec, FabricBuilder& builder);

}  // namespace stepsim
