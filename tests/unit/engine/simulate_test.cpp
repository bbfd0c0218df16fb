// The event loop against closed forms. Times in ns; links of 1 GB/s move a byte a ns.

#include <gtest/gtest.h>

#include "graph_maker.h"
#include "sim/base/error.h"

namespace stepsim::testing {
namespace {

// Ring AllReduce of S bytes over n ranks: 2 (n-1)/n S/B + 2 (n-1) latency.
TEST(Simulate, RingAllReduce) {
  for (const int n : {2, 3, 4, 8, 16}) {
    GraphMaker make(Layout{.tp = n});
    const ProgramId p = make.program();
    make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::compute, 48'000);
    const Timeline t =
        Bench{one_switch(n, 1, 250)}.run(make.finish(std::vector<ProgramId>(static_cast<std::size_t>(n), p)));
    EXPECT_EQ(t.end, ns(2 * (n - 1) * 48'000 / n + 2 * (n - 1) * 250)) << n;
    EXPECT_EQ(t.actors.size(), 1U);
  }
}

// ReduceScatter and AllGather: half of it each. All-to-all: every rank sends its bytes once, one latency.
TEST(Simulate, OtherCollectives) {
  const auto time_of = [](CommKind kind) {
    GraphMaker make(Layout{.tp = 4});
    const ProgramId p = make.program();
    make.collective(kind, GroupKind::tp, Axis::tp, Stream::compute, 12'000);
    return Bench{one_switch(4, 1, 100)}.run(make.finish({p, p, p, p})).end;
  };
  EXPECT_EQ(time_of(CommKind::all_gather), ns(9'000 + 3 * 100));
  EXPECT_EQ(time_of(CommKind::reduce_scatter), ns(9'000 + 3 * 100));
  // Three flows share a port; a third of 1 GB/s is rounded down to 2^-16 B/s, so the end comes at most 1 ps later.
  EXPECT_NEAR(static_cast<double>(time_of(CommKind::all_to_all).ps()), static_cast<double>(ns(12'000 + 100).ps()), 1);
}

// Two AllReduces of different axes on the same ports share them: alone 8 ns each, together each at half speed until
// both end at 16.
TEST(Simulate, AxesShareTheirLinks) {
  GraphMaker make(Layout{.tp = 2, .dp = 2});
  const ProgramId p = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  make.collective(CommKind::all_reduce, GroupKind::dp_cp, Axis::dp, Stream::dp, 8);
  const StepGraph graph = make.finish({p, p, p, p});
  Bench bench{one_switch(4)};
  EXPECT_EQ(bench.run(graph).end, ns(16));
  bench.options.max_min = false;
  EXPECT_EQ(bench.run(graph).end, ns(8));
}

// A short flow leaves and the long one speeds up: 4 and 12 bytes from one port. Both at 1/2 until 8 ns (4 moved each);
// the other 8 bytes at full speed: 16.
TEST(Simulate, RatesChangeWhenAFlowEnds) {
  GraphMaker make(Layout{.tp = 2, .dp = 2});
  const ProgramId p = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 4);
  make.collective(CommKind::all_reduce, GroupKind::dp_cp, Axis::dp, Stream::dp, 12);
  EXPECT_EQ((Bench{one_switch(4)}.run(make.finish({p, p, p, p})).end), ns(16));
}

// One slow rank of four in a lockstep ring (kernel 10 against 20, hop 5, hop k+1 posted when kernel k and hop k have
// ended). Rank 3 is slow; ranks 0 and 2 feel it one step later, rank 1 two steps later. With 3 hops and 4 kernels rank
// 3 never waits: it ends at 80, and the step with it.
StepGraph ring_of_four(bool eager) {
  GraphMaker make(Layout{.cp = 4});
  const ProgramId p = make.program();
  std::uint32_t hop = 0, block = 0;
  for (int i = 0; i < 4; ++i) {
    const bool first = i == 0;
    std::uint32_t next_hop = 0;
    if (i < 3)
      next_hop = first ? make.hop(5, {}, eager) : (eager ? make.hop(5, {hop}, true) : make.hop(5, {hop, block}));
    block = first ? make.compute(10) : make.compute(10, {hop});
    hop = next_hop;
  }
  return make.finish({p, p, p, p});
}

TEST(Simulate, SlowRankInALockstepRing) {
  Bench bench{one_switch(4)};
  const StepGraph graph = ring_of_four(false);
  EXPECT_EQ(bench.run(graph).end, ns(40));
  bench.perturbation.slow_ranks = {{3, 2.0}};
  const Timeline t = bench.run(graph);
  EXPECT_EQ(t.end, ns(80));
  EXPECT_EQ(t.actors.size(), 4U);
  const StepReport report = bench.report(graph);
  // Rank 1 is two hops away from rank 3 both ways: its kernel 1 runs 10..20 undisturbed; kernel 2 needs hop 1, which
  // meets rank 0's hop 1 (posted at 10) and rank 2's (posted at 10): no wait. Hop 2 meets ranks whose hop 2 was posted
  // after hop 1 with rank 3, which posts it at 20: they end hop 1 at 25, so kernel 2 of ranks 0 and 2 runs 25..35; they
  // post hop 2 at max(20, 25) = 25. Rank 1 posts hop 2 at 20 and waits until 25: its hop ends at 30, kernel 2
  // ran 20..30, kernel 3 30..40. Nothing exposed, no wait seen by its compute stream.
  EXPECT_EQ(report.actors[1].parts.peer_wait, ns(0));
  // Rank 0: hop 1 posted at 10, rank 3 posts at 20: kernel 1 ends at 20, then waits 0 of peer_wait, 5 exposed: 20..25.
  EXPECT_EQ(report.actors[0].parts.exposed[static_cast<std::size_t>(Axis::cp)].ps() > 0, true);
}

// Eager hops let the others run ahead of the slow rank's kernels: hop k+1 leaves when hop k has come.
TEST(Simulate, EagerHopsDoNotWaitForKernels) {
  Bench bench{one_switch(4)};
  bench.perturbation.slow_ranks = {{3, 2.0}};
  const Timeline t = bench.run(ring_of_four(true));
  EXPECT_EQ(t.end, ns(80));
  for (const Actor& actor : t.actors) {
    const bool slow = actor.ranks.front() == RankId(std::uint32_t{3});
    EXPECT_EQ(actor.times.back().ended, slow ? ns(80) : ns(40));
  }
}

std::string error_of(const StepGraph& graph, int devices) {
  try {
    static_cast<void>(Bench{one_switch(devices)}.run(graph));
  } catch (const SimError& error) {
    return error.what();
  }
  return "";
}

// Each stage receives before it sends: nobody ever sends.
TEST(Simulate, DeadlockNamesTheWaitChain) {
  GraphMaker make(Layout{.pp = 2});
  const ProgramId p0 = make.program(0);
  const auto r0 = make.recv(1, 4, {}, Stream::recv_up);
  make.send(1, 4, {r0});
  const ProgramId p1 = make.program(1);
  const auto r1 = make.recv(0, 4);
  make.send(0, 4, {r1}, Stream::send_up);
  const std::string text = error_of(make.finish({p0, p1}), 2);
  EXPECT_NE(text.find("deadlock"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 0"), std::string::npos) << text;
  EXPECT_NE(text.find("waits for message 0 from rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find("waits for message 0 from rank 0"), std::string::npos) << text;
}

TEST(Simulate, SendNobodyReceivesIsAnError) {
  GraphMaker make(Layout{.pp = 2});
  const ProgramId p0 = make.program(0);
  make.send(1, 4);
  make.send(1, 4);
  const ProgramId p1 = make.program(1);
  make.recv(0, 4);
  const std::string text = error_of(make.finish({p0, p1}), 2);
  EXPECT_NE(text.find("rank 0 sends 2 messages to rank 1, which receives 1"), std::string::npos) << text;
}

TEST(Simulate, MessagesThatDisagreeAreAnError) {
  GraphMaker make(Layout{.pp = 2});
  const ProgramId p0 = make.program(0);
  make.send(1, 4);
  const ProgramId p1 = make.program(1);
  make.recv(0, 5);
  EXPECT_NE(error_of(make.finish({p0, p1}), 2).find("do not agree"), std::string::npos);
}

TEST(Simulate, CollectivesThatDisagreeAreAnError) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p0 = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  const ProgramId p1 = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 9);
  EXPECT_NE(error_of(make.finish({p0, p1}), 2).find("do not agree"), std::string::npos);
}

// One rank takes part once, the other twice: the second meeting never happens.
TEST(Simulate, CollectiveNobodyJoinsIsADeadlock) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p0 = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  const ProgramId p1 = make.program();
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  const std::string text = error_of(make.finish({p0, p1}), 2);
  EXPECT_NE(text.find("waits for rank 1 to take part (collective 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace stepsim::testing
