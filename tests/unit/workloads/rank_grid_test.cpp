// Who is where in the rank grid, and in a group with whom?
#include "workloads/rank_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepsim {
namespace {

std::vector<int> members(const RankGrid& grid, GroupKind kind, int rank) {
  std::vector<int> result;
  for (RankId member : grid.members(kind, RankId(static_cast<std::uint32_t>(rank)))) {
    result.push_back(static_cast<int>(member.index()));
  }
  return result;
}

using Ranks = std::vector<int>;

// Megatron's example (parallel_state.py): 16 ranks, tp 2, pp 4, dp 2, order tp-cp-ep-dp-pp. By hand:
// rank = tp + 2 dp + 4 pp.
TEST(RankGrid, DefaultOrderPutsTpInsideAndPpOutside) {
  const RankGrid grid(Layout{.tp = 2, .pp = 4, .dp = 2});
  EXPECT_EQ(members(grid, GroupKind::tp, 5), (Ranks{4, 5}));
  EXPECT_EQ(members(grid, GroupKind::dp_cp, 5), (Ranks{5, 7}));
  EXPECT_EQ(members(grid, GroupKind::embedding, 1), (Ranks{1, 13}));
  EXPECT_EQ(members(grid, GroupKind::embedding, 13), (Ranks{1, 13}));
  EXPECT_EQ(members(grid, GroupKind::embedding, 5), (Ranks{5}));
  EXPECT_EQ(grid.on_stage(RankId(5U), 3), RankId(13U));
  EXPECT_EQ(grid.coords(RankId(13U)).pp, 3);
}

// tp-cp-ep-pp-dp with tp 2, pp 2, dp 2: rank = tp + 2 pp + 4 dp; without pp: in_stage = tp + 2 dp.
TEST(RankGrid, PipelineMayStandInside) {
  Layout layout{.tp = 2, .pp = 2, .dp = 2};
  layout.order = {Axis::tp, Axis::cp, Axis::ep, Axis::pp, Axis::dp};
  const RankGrid grid(layout);
  EXPECT_EQ(members(grid, GroupKind::dp_cp, 1), (Ranks{1, 5}));
  EXPECT_EQ(members(grid, GroupKind::embedding, 5), (Ranks{5, 7}));
  EXPECT_EQ(grid.coords(RankId(6U)).in_stage, 2);
  EXPECT_EQ(grid.coords(RankId(7U)).in_stage, 3);
  EXPECT_EQ(grid.on_stage(RankId(4U), 1), RankId(6U));
}

// tp 2, cp 2, dp 2 on one stage: in_stage = rank = tp + 2 cp + 4 dp. etp 2 and ep 2: etp = rank % 2, ep = rank / 2 % 2,
// expert_dp = rank / 4.
TEST(RankGrid, ExpertGroupsAreConsecutiveRanksOfAStage) {
  const RankGrid grid(Layout{.tp = 2, .cp = 2, .dp = 2, .ep = 2, .etp = 2});
  EXPECT_EQ(members(grid, GroupKind::etp, 5), (Ranks{4, 5}));
  EXPECT_EQ(members(grid, GroupKind::ep, 5), (Ranks{5, 7}));
  EXPECT_EQ(members(grid, GroupKind::expert_dp, 5), (Ranks{1, 5}));
  EXPECT_EQ(members(grid, GroupKind::cp, 5), (Ranks{5, 7}));
  EXPECT_EQ(members(grid, GroupKind::dp_cp, 5), (Ranks{1, 3, 5, 7}));
}

// DeepSeek-V3: pp 16, dp 128, ep 64: rank 70 of stage 0 is in the second group of 64.
TEST(RankGrid, DeepSeekHasTwoExpertGroupsAStage) {
  const RankGrid grid(Layout{.pp = 16, .dp = 128, .ep = 64});
  const Ranks group = members(grid, GroupKind::ep, 70);
  EXPECT_EQ(group.front(), 64);
  EXPECT_EQ(group.back(), 127);
  EXPECT_EQ(members(grid, GroupKind::expert_dp, 70), (Ranks{6, 70}));
  EXPECT_EQ(grid.group_size(GroupKind::expert_dp), 2);
}

void expect_partition(const RankGrid& grid, GroupKind kind) {
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const Ranks group = members(grid, kind, rank);
    EXPECT_TRUE(std::find(group.begin(), group.end(), rank) != group.end()) << name_of(kind) << ' ' << rank;
    for (int other : group) EXPECT_EQ(members(grid, kind, other), group) << name_of(kind);
    const bool alone = kind == GroupKind::embedding && group.size() == 1;
    EXPECT_EQ(static_cast<int>(group.size()), alone ? 1 : grid.group_size(kind)) << name_of(kind);
  }
}

void expect_coordinates_round_trip(const RankGrid& grid) {
  for (int number = 0; number < grid.ranks(); ++number) {
    const RankId rank(static_cast<std::uint32_t>(number));
    const RankCoords c = grid.coords(rank);
    EXPECT_EQ(grid.rank(c.tp, c.cp, c.dp, c.pp), rank);
    EXPECT_EQ(grid.on_stage(rank, c.pp), rank);
  }
}

// Same members in the same order seen from each of them, and every rank in its own group: the groups of a kind
// partition the ranks. Over all 120 orders of the axes.
TEST(RankGrid, GroupsOfAKindPartitionTheRanksInEveryOrder) {
  std::vector<Axis> order{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp};
  do {
    Layout layout{.tp = 2, .cp = 2, .pp = 3, .dp = 3, .ep = 3, .etp = 2};
    layout.order = order;
    const RankGrid grid(layout);
    expect_coordinates_round_trip(grid);
    for (int kind = 0; kind < kGroupKinds; ++kind) expect_partition(grid, static_cast<GroupKind>(kind));
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace stepsim
