#include "topology/levels/level_template.h"

#include <array>

#include "sim/base/error.h"
#include "topology/levels/full.h"
#include "topology/levels/lattice.h"
#include "topology/levels/star.h"

namespace stepsim {
namespace {

using Factory = std::unique_ptr<LevelTemplate> (*)(const LevelSpec&, LevelFrame);

struct KindRow {
  LevelKind kind;
  Factory make;
};

/// A ring is a torus of one dimension.
constexpr std::array kKinds{
    KindRow{LevelKind::switched, make_switched}, KindRow{LevelKind::rail, make_rail},
    KindRow{LevelKind::ring, make_ring},         KindRow{LevelKind::mesh, make_mesh},
    KindRow{LevelKind::torus, make_torus},       KindRow{LevelKind::full, make_full},
};

}  // namespace

std::vector<Path> LevelTemplate::all_legs(DeviceIndex from, DeviceIndex to) const {
  Path path;
  if (!first_leg(from, to, path)) return {};
  return {path};
}

void LevelTemplate::renumber(const IdVector<DraftId, LinkId>& ids) {
  links_.reserve(drafts_.size());
  for (const DraftId draft : drafts_) links_.push_back(draft == kNoDraft ? kNoLink : ids[draft]);
  drafts_ = {};
}

bool LevelTemplate::take(DeviceIndex device, std::size_t port_number, Path& path) const {
  const LinkId link = port(device, port_number);
  if (link == kNoLink) return false;
  path.push_back(link);
  return true;
}

std::unique_ptr<LevelTemplate> make_level(const LevelSpec& spec, LevelFrame frame) {
  for (const KindRow& row : kKinds) {
    if (row.kind == spec.kind) return row.make(spec, frame);
  }
  throw InternalError("a level kind has no template");
}

std::size_t links_per_device(const LevelSpec& spec) {
  if (spec.size <= 1) return 0;
  switch (spec.kind) {
    case LevelKind::full:
      return static_cast<std::size_t>(spec.size) - 1;
    case LevelKind::mesh:
    case LevelKind::torus:
      return 2 * spec.shape.size();
    default:
      return 2;
  }
}

LinkDraft level_link(const LevelSpec& spec, FabricBuilder& builder) {
  LinkDraft draft;
  draft.link_class = builder.add_class(spec.name);
  draft.nominal = spec.bandwidth;
  draft.efficiency = spec.efficiency;
  draft.latency = spec.latency;
  return draft;
}

}  // namespace stepsim
