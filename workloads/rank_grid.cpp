#include "workloads/rank_grid.h"

#include <algorithm>

namespace stepsim {

namespace {

std::size_t at(Axis axis) { return static_cast<std::size_t>(axis); }

/// Degree of an axis in the rank number: ep divides ranks that tp, cp and dp already count.
int degree(const Layout& layout, Axis axis) {
  switch (axis) {
    case Axis::tp:
      return layout.tp;
    case Axis::cp:
      return layout.cp;
    case Axis::dp:
      return layout.dp;
    case Axis::pp:
      return layout.pp;
    case Axis::ep:
      return 1;
  }
  return 1;
}

template <class Member>
std::vector<RankId> collect(int count, Member member) {
  std::vector<RankId> result;
  for (int i = 0; i < count; ++i) result.push_back(member(i));
  return result;
}

std::vector<RankId> sorted(std::vector<RankId> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

const char* name_of(GroupKind kind) {
  static constexpr std::array<const char*, kGroupKinds> kNames{"tp",  "cp",        "dp_cp",     "ep",
                                                               "etp", "expert_dp", "embedding", "world"};
  return kNames[static_cast<std::size_t>(kind)];
}

RankGrid::RankGrid(const Layout& layout) : layout_(layout) {
  int stride = 1;
  for (Axis axis : layout.order) {
    stride_[at(axis)] = stride;
    stride *= degree(layout, axis);
  }
}

RankCoords RankGrid::coords(RankId rank) const {
  const int number = static_cast<int>(rank.index());
  auto digit = [&](Axis axis) { return number / stride_[at(axis)] % degree(layout_, axis); };
  RankCoords c{.tp = digit(Axis::tp), .cp = digit(Axis::cp), .dp = digit(Axis::dp), .pp = digit(Axis::pp)};
  const int pp_stride = stride_[at(Axis::pp)];
  c.in_stage = number % pp_stride + number / (pp_stride * layout_.pp) * pp_stride;
  c.etp = c.in_stage % layout_.etp;
  c.ep = c.in_stage / layout_.etp % layout_.ep;
  c.expert_dp = c.in_stage / (layout_.etp * layout_.ep);
  return c;
}

RankId RankGrid::rank(int tp, int cp, int dp, int pp) const {
  return RankId(static_cast<std::uint32_t>(tp * stride_[at(Axis::tp)] + cp * stride_[at(Axis::cp)] +
                                           dp * stride_[at(Axis::dp)] + pp * stride_[at(Axis::pp)]));
}

RankId RankGrid::on_stage(RankId rank, int pp) const { return from_stage_index(coords(rank).in_stage, pp); }

/// Puts the digit of pp back between the digits below and above it.
RankId RankGrid::from_stage_index(int in_stage, int pp) const {
  const int pp_stride = stride_[at(Axis::pp)];
  const int below = in_stage % pp_stride, above = in_stage / pp_stride;
  return RankId(static_cast<std::uint32_t>(below + (pp + above * layout_.pp) * pp_stride));
}

std::vector<RankId> RankGrid::members(GroupKind kind, RankId of) const {
  const RankCoords c = coords(of);
  const int count = group_size(kind);
  auto expert = [&](int expert_dp, int ep, int etp) {
    return from_stage_index((expert_dp * layout_.ep + ep) * layout_.etp + etp, c.pp);
  };
  switch (kind) {
    case GroupKind::tp:
      return collect(count, [&](int i) { return rank(i, c.cp, c.dp, c.pp); });
    case GroupKind::cp:
      return collect(count, [&](int i) { return rank(c.tp, i, c.dp, c.pp); });
    case GroupKind::dp_cp:
      return sorted(collect(count, [&](int i) { return rank(c.tp, i % layout_.cp, i / layout_.cp, c.pp); }));
    case GroupKind::ep:
      return collect(count, [&](int i) { return expert(c.expert_dp, i, c.etp); });
    case GroupKind::etp:
      return collect(count, [&](int i) { return expert(c.expert_dp, c.ep, i); });
    case GroupKind::expert_dp:
      return collect(count, [&](int i) { return expert(i, c.ep, c.etp); });
    case GroupKind::embedding:
      return embedding_members(of, c.pp);
    case GroupKind::world:
      return collect(count, [](int i) { return RankId(static_cast<std::uint32_t>(i)); });
  }
  return {of};
}

std::vector<RankId> RankGrid::embedding_members(RankId of, int pp) const {
  const int last = layout_.pp - 1;
  if (last == 0 || (pp != 0 && pp != last)) return {of};
  return {on_stage(of, 0), on_stage(of, last)};
}

int RankGrid::group_size(GroupKind kind) const {
  switch (kind) {
    case GroupKind::tp:
      return layout_.tp;
    case GroupKind::cp:
      return layout_.cp;
    case GroupKind::dp_cp:
      return layout_.dp * layout_.cp;
    case GroupKind::ep:
      return layout_.ep;
    case GroupKind::etp:
      return layout_.etp;
    case GroupKind::expert_dp:
      return layout_.tp * layout_.cp * layout_.dp / (layout_.ep * layout_.etp);
    case GroupKind::embedding:
      return layout_.pp > 1 ? 2 : 1;
    case GroupKind::world:
      return ranks();
  }
  return 1;
}

}  // namespace stepsim
