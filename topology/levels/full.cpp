#include "topology/levels/full.h"

namespace stepsim {
namespace {

/// Port m leads to member m.
class FullLevel final : public LevelTemplate {
 public:
  explicit FullLevel(LevelFrame frame) : LevelTemplate(frame, frame.size) {}

  void wire(const LevelSpec& spec, FabricBuilder& builder) override {
    LinkDraft link = level_link(spec, builder);
    link.share = 1.0 / (spec.size - 1);
    link.nominal = spec.bandwidth * link.share;
    for (DeviceIndex device = 0; device < frame().devices; ++device) {
      link.from = NodeId(device);
      connect(device, link, builder);
    }
  }

  [[nodiscard]] bool joins_counterparts() const override { return true; }

  bool first_leg(DeviceIndex from, DeviceIndex to, Path& path) const override {
    return take(from, frame().member(to), path);
  }

 private:
  void connect(DeviceIndex device, LinkDraft& link, FabricBuilder& builder) {
    const std::uint32_t own = frame().member(device);
    const DeviceIndex first = device - own * frame().inner;
    for (std::uint32_t member = 0; member < frame().size; ++member) {
      if (member == own) continue;
      link.to = NodeId(first + member * frame().inner);
      set_port(device, member, builder.add_link(link));
    }
  }
};

}  // namespace

std::unique_ptr<LevelTemplate> make_full(const LevelSpec&, LevelFrame frame) {
  return std::make_unique<FullLevel>(frame);
}

}  // namespace stepsim
