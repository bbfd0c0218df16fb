#include "topology/levels/star.h"

#include <fmt/core.h>

namespace stepsim {
namespace {

constexpr std::size_t kUp = 0, kDown = 1;

class StarLevel final : public LevelTemplate {
 public:
  StarLevel(LevelFrame frame, bool rails) : LevelTemplate(frame, 2), rails_(rails) {}

  void wire(const LevelSpec& spec, FabricBuilder& builder) override {
    const std::size_t first_switch = builder.nodes();
    for (std::uint32_t number = 0; number < switches(); ++number) {
      builder.add_node(fmt::format("{}{}", spec.name, number), NodeKind::switch_);
    }
    const LinkDraft link = level_link(spec, builder);
    for (DeviceIndex device = 0; device < frame().devices; ++device) {
      connect(device, NodeId(first_switch + switch_of(device)), link, builder);
    }
  }

  [[nodiscard]] bool joins_counterparts() const override { return rails_; }

  bool first_leg(DeviceIndex from, DeviceIndex to, Path& path) const override {
    return take(from, kUp, path) && take(to, kDown, path);
  }

 private:
  [[nodiscard]] std::uint32_t rails_per_group() const { return rails_ ? frame().inner : 1; }
  [[nodiscard]] std::uint32_t group_devices() const { return frame().inner * frame().size; }
  [[nodiscard]] std::uint32_t switches() const { return frame().devices / group_devices() * rails_per_group(); }
  [[nodiscard]] std::uint32_t switch_of(DeviceIndex device) const {
    return device / group_devices() * rails_per_group() + device % rails_per_group();
  }

  /// The way up carries the whole latency of the level, so that up and down add to it exactly.
  void connect(DeviceIndex device, NodeId hub, LinkDraft up, FabricBuilder& builder) {
    up.from = NodeId(device);
    up.to = hub;
    LinkDraft down = up;
    down.from = hub;
    down.to = NodeId(device);
    down.latency = Seconds();
    down.counted_on_up = up.latency;
    set_port(device, kUp, builder.add_link(up));
    set_port(device, kDown, builder.add_link(down));
  }

  bool rails_;
};

}  // namespace

std::unique_ptr<LevelTemplate> make_switched(const LevelSpec&, LevelFrame frame) {
  return std::make_unique<StarLevel>(frame, false);
}

std::unique_ptr<LevelTemplate> make_rail(const LevelSpec&, LevelFrame frame) {
  return std::make_unique<StarLevel>(frame, true);
}

}  // namespace stepsim
