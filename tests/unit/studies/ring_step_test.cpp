#include "sim/studies/ring_step.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

/// One layer of a ring of three: attention 0 beside hop 0, attention 1 beside hop 1, attention 2 alone.
StepGraph ring_graph() {
  StepGraph graph;
  graph.kernels.push_back({.work = Attention{}, .name = "attention", .launches = 1, .flops = Flops(1)});
  graph.kernels.push_back({.work = MemoryOp{}, .name = "merge", .launches = 1, .flops = Flops(0)});
  Comm hop;
  hop.kind = CommKind::ring_hop;
  hop.axis = Axis::cp;
  graph.comms.push_back(hop);
  Program program;
  const auto add = [&](OpKind kind, std::uint32_t what) {
    Op op;
    op.kind = kind;
    op.stream = kind == OpKind::compute ? Stream::compute : Stream::cp;
    op.what = what;
    program.ops.push_back(op);
    program.deps.end_row();
  };
  for (int k = 0; k < 2; ++k) {
    add(OpKind::ring_hop, 0);
    add(OpKind::compute, 0);
    add(OpKind::compute, 1);
  }
  add(OpKind::compute, 0);
  graph.programs.push_back(program);
  return graph;
}

OpTimes times(std::int64_t from, std::int64_t to) { return {SimTime(from), SimTime(from), SimTime(to)}; }

Actor actor(std::vector<OpTimes> op_times) {
  Actor one;
  one.program = ProgramId(0u);
  one.times = std::move(op_times);
  return one;
}

TEST(RingStep, TakesTheStepWithTheLeastRoom) {
  Timeline timeline;
  // Hops 40 and 60 beside blocks of 100 and 80: margins 0.6 and 0.25. The merge kernels and the last block don't count.
  timeline.actors.push_back(actor({times(0, 40), times(0, 100), times(100, 110), times(110, 170), times(110, 190),
                                   times(190, 200), times(200, 210)}));
  const std::optional<RingStep> step = tightest_ring_step(ring_graph(), timeline);
  ASSERT_TRUE(step);
  EXPECT_DOUBLE_EQ(step->hop.value(), 60e-12);
  EXPECT_DOUBLE_EQ(step->block.value(), 80e-12);
  EXPECT_DOUBLE_EQ(step->margin(), 0.25);
}

TEST(RingStep, TheRankWithMostAttentionSetsThePace) {
  Timeline timeline;
  timeline.actors.push_back(actor(
      {times(0, 40), times(0, 50), times(50, 51), times(51, 91), times(51, 101), times(101, 102), times(102, 152)}));
  timeline.actors.push_back(actor({times(0, 30), times(0, 200), times(200, 201), times(201, 231), times(201, 401),
                                   times(401, 402), times(402, 602)}));
  const std::optional<RingStep> step = tightest_ring_step(ring_graph(), timeline);
  ASSERT_TRUE(step);
  EXPECT_DOUBLE_EQ(step->hop.value(), 40e-12);     // the slowest rank's hop
  EXPECT_DOUBLE_EQ(step->block.value(), 200e-12);  // the pace
}

TEST(RingStep, WithoutHopsThereIsNone) {
  StepGraph graph = ring_graph();
  graph.programs[ProgramId(0u)].ops.clear();
  Timeline timeline;
  timeline.actors.push_back(actor({}));
  EXPECT_FALSE(tightest_ring_step(graph, timeline));
}

}  // namespace
}  // namespace stepsim
