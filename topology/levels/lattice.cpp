#include "topology/levels/lattice.h"

#include "topology/routes/enumerate_paths.h"

namespace stepsim {
namespace {

enum Direction : std::size_t { kUpward = 0, kDownward = 1 };

/// One dimension: members along it, and how far apart (in device numbers) two neighbours are.
struct Dimension {
  std::uint32_t length = 1, stride = 1;
  bool wraps = false;

  [[nodiscard]] std::uint32_t coordinate(DeviceIndex device) const { return device / stride % length; }

  [[nodiscard]] DeviceIndex neighbour(DeviceIndex device, Direction direction) const {
    const std::uint32_t at = coordinate(device);
    const std::uint32_t next = direction == kUpward ? (at + 1 == length ? 0 : at + 1) : (at == 0 ? length : at) - 1;
    return device - at * stride + next * stride;
  }

  /// Whether a step of this direction lies on a shortest way.
  [[nodiscard]] bool approaches(DeviceIndex from, DeviceIndex to, Direction direction) const {
    const std::uint32_t a = coordinate(from), b = coordinate(to);
    if (a == b) return false;
    if (!wraps) return (direction == kUpward) == (a < b);
    const std::uint32_t upward = a < b ? b - a : b + length - a;
    return direction == kUpward ? 2 * upward <= length : 2 * upward >= length;
  }
};

/// Dimension 0 varies fastest. Two members along a dimension are neighbours once, even where it wraps.
std::vector<Dimension> make_dimensions(const std::vector<int>& shape, bool wraps, std::uint32_t inner) {
  std::vector<Dimension> dimensions;
  std::uint32_t stride = inner;
  for (const int length : shape) {
    dimensions.push_back({static_cast<std::uint32_t>(length), stride, wraps && length > 2});
    stride *= static_cast<std::uint32_t>(length);
  }
  return dimensions;
}

constexpr std::size_t port_of(std::size_t dimension, Direction direction) { return 2 * dimension + direction; }

class LatticeLevel final : public LevelTemplate {
 public:
  LatticeLevel(LevelFrame frame, const std::vector<int>& shape, bool wraps)
      : LevelTemplate(frame, 2 * shape.size()), dimensions_(make_dimensions(shape, wraps, frame.inner)) {}

  void wire(const LevelSpec& spec, FabricBuilder& builder) override {
    const LinkDraft link = level_link(spec, builder);
    for (DeviceIndex device = 0; device < frame().devices; ++device) {
      for (std::size_t dimension = 0; dimension < dimensions_.size(); ++dimension) {
        connect_upward(device, dimension, link, builder);
      }
    }
  }

  [[nodiscard]] bool joins_counterparts() const override { return true; }

  /// Dimension by dimension, the shorter way round, upward where both are equal.
  bool first_leg(DeviceIndex from, DeviceIndex to, Path& path) const override {
    for (std::size_t number = 0; number < dimensions_.size(); ++number) {
      const Dimension& dimension = dimensions_[number];
      if (dimension.coordinate(from) == dimension.coordinate(to)) continue;
      const Direction direction = dimension.approaches(from, to, kUpward) ? kUpward : kDownward;
      while (dimension.coordinate(from) != dimension.coordinate(to)) {
        if (!take(from, port_of(number, direction), path)) return false;
        from = dimension.neighbour(from, direction);
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<Path> all_legs(DeviceIndex from, DeviceIndex to) const override {
    const Nearer nearer{*this, to};
    return PathEnumerator<Nearer>(nearer, from, to).run();
  }

 private:
  /// The steps that come nearer to `to`. Option = port.
  struct Nearer {
    const LatticeLevel& level;
    DeviceIndex to;

    [[nodiscard]] std::uint32_t options(DeviceIndex) const {
      return static_cast<std::uint32_t>(2 * level.dimensions_.size());
    }
    [[nodiscard]] std::optional<PathStep> step(DeviceIndex at, std::uint32_t option) const {
      const Dimension& dimension = level.dimensions_[option / 2];
      const auto direction = static_cast<Direction>(option % 2);
      if (!dimension.approaches(at, to, direction) || level.port(at, option) == kNoLink) return std::nullopt;
      return PathStep{level.port(at, option), dimension.neighbour(at, direction)};
    }
  };

  void connect_upward(DeviceIndex device, std::size_t number, LinkDraft link, FabricBuilder& builder) {
    const Dimension& dimension = dimensions_[number];
    if (!dimension.wraps && dimension.coordinate(device) + 1 == dimension.length) return;
    const DeviceIndex next = dimension.neighbour(device, kUpward);
    link.from = NodeId(device);
    link.to = NodeId(next);
    set_port(device, port_of(number, kUpward), builder.add_link(link));
    std::swap(link.from, link.to);
    set_port(next, port_of(number, kDownward), builder.add_link(link));
  }

  std::vector<Dimension> dimensions_;
};

}  // namespace

std::unique_ptr<LevelTemplate> make_ring(const LevelSpec& spec, LevelFrame frame) {
  return std::make_unique<LatticeLevel>(frame, std::vector<int>{spec.size}, true);
}

std::unique_ptr<LevelTemplate> make_mesh(const LevelSpec& spec, LevelFrame frame) {
  return std::make_unique<LatticeLevel>(frame, spec.shape, false);
}

std::unique_ptr<LevelTemplate> make_torus(const LevelSpec& spec, LevelFrame frame) {
  return std::make_unique<LatticeLevel>(frame, spec.shape, true);
}

}  // namespace stepsim
