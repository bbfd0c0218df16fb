#include "sim/engine/axis_links.h"

#include <algorithm>
#include <set>

#include "sim/engine/traffic.h"

namespace stepsim {
namespace {

class Finder {
 public:
  Finder(const StepGraph& graph, const Fabric& fabric) : graph_(graph), fabric_(fabric) {}

  std::array<AxisLinks, kAxes> run() {
    std::set<std::uint32_t> seen;
    for (std::uint32_t rank = 0; rank < graph_.program_of_rank.size(); ++rank) {
      if (seen.insert(graph_.program_of_rank[rank].index()).second) visit(RankId(rank));
    }
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      for (const std::uint16_t number : classes_[axis]) {
        axes_[axis].link_classes.push_back(fabric_.link_classes()[number]);
      }
    }
    return std::move(axes_);
  }

 private:
  void visit(RankId rank) {
    std::set<std::uint32_t> comms;
    for (const Op& op : graph_.programs[graph_.program_of_rank[rank.index()]].ops) {
      if (op.kind != OpKind::compute && op.kind != OpKind::recv) comms.insert(op.what);
    }
    for (const std::uint32_t comm : comms) visit(rank, graph_.comms[CommId(comm)]);
  }

  void visit(RankId rank, const Comm& comm) {
    const auto axis = static_cast<std::size_t>(comm.axis);
    axes_[axis].used = true;
    if (comm.kind == CommKind::send) {
      axes_[axis].group_size = graph_.grid.layout().pp;
      add_route(axis, rank, graph_.grid.on_stage(rank, comm.peer_stage));
      return;
    }
    const auto members = graph_.grid.members(comm.group, rank);
    if (comm.kind == CommKind::scalar_all_reduce) return;
    axes_[axis].group_size = std::max(axes_[axis].group_size, static_cast<int>(members.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (comm.kind == CommKind::all_to_all)
        add_route(axis, rank, members[i]);
      else
        add_route(axis, members[i], members[(i + 1) % members.size()]);
    }
  }

  void add_route(std::size_t axis, RankId from, RankId to) {
    const DeviceId a(from.index()), b(to.index());
    if (a == b) return;
    axes_[axis].crosses_level = axes_[axis].crosses_level || fabric_.common_level(a, b) > 0;
    fabric_.first_route(a, b, route_);
    for (const LinkId link : route_.links) classes_[axis].insert(fabric_.link_class(link));
  }

  const StepGraph& graph_;
  const Fabric& fabric_;
  Route route_;
  std::array<AxisLinks, kAxes> axes_;
  std::array<std::set<std::uint16_t>, kAxes> classes_;
};

}  // namespace

std::array<AxisLinks, kAxes> find_axis_links(const StepGraph& graph, const Fabric& fabric) {
  return Finder(graph, fabric).run();
}

}  // namespace stepsim
