// The accounting rule, worked by hand. Times in ns; links of 1 GB/s move a byte a ns.

#include <gtest/gtest.h>

#include "graph_maker.h"

namespace stepsim::testing {
namespace {

constexpr auto kTp = static_cast<std::size_t>(Axis::tp);
constexpr auto kCp = static_cast<std::size_t>(Axis::cp);
constexpr auto kDp = static_cast<std::size_t>(Axis::dp);
constexpr auto kPp = static_cast<std::size_t>(Axis::pp);

void expect_sums(const StepReport& report) {
  for (const ActorReport& actor : report.actors) EXPECT_EQ(actor.parts.total(), report.step);
}

// Two TP ranks with one program: kernel 10, AllReduce of 8 bytes on the compute stream, kernel 5.
// Ring of 2: each flow carries 2 (2-1)/2 8 = 8 bytes at 1 GB/s: 8 ns. Step 23, exposed tp 8, compute 15.
TEST(Accounting, CollectiveOnTheComputeStreamIsExposed) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p = make.program();
  make.compute(10);
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::compute, 8);
  make.compute(5);
  const StepReport report = Bench{one_switch(2)}.report(make.finish({p, p}));
  EXPECT_EQ(report.step, ns(23));
  ASSERT_EQ(report.actors.size(), 1U);
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(8));
  EXPECT_EQ(report.actors[0].parts.compute, ns(15));
  expect_sums(report);
}

// The same AllReduce on its own stream beside a kernel of 20, while communication takes 1/4 of the SMs: it moves from
// 10 to 18 (8 ns at 3/4 speed do 6 ns of work), the kernel's other 14 ns run at full speed: it ends at 10 + 8 + 14
// = 32. Slowed compute stays compute: 10 + 22, slowed_by_comm 2, nothing exposed.
TEST(Accounting, SlowedComputeStaysCompute) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p = make.program();
  const auto first = make.compute(10);
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8, {first});
  make.compute(20);
  Bench bench{one_switch(2)};
  bench.accelerator.comm_sm_share = 0.25;
  const StepReport report = bench.report(make.finish({p, p}));
  EXPECT_EQ(report.step, ns(32));
  EXPECT_EQ(report.actors[0].parts.compute, ns(32));
  EXPECT_EQ(report.actors[0].slowed_by_comm, ns(2));
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(0));
  EXPECT_EQ(report.actors[0].hidden[kTp], ns(8));
  expect_sums(report);
}

// Host and communication both late. Launches of 6 ns: op 0 is issued at 6, op 1 (AllReduce) at 12, op 2 at 18.
// Kernel 0 runs 6..8. The AllReduce (8 bytes) is posted at 12, ends at 20. Kernel 2 was issued at 18 and starts at 20:
// the AllReduce ended last, so its chain gets the interval 8..20: moving 12..20 exposed, then what held the AllReduce
// back: the host, 8..12. Before kernel 0: host 0..6. Sum: compute 2 + 3, exposed 8, host 10: 23.
TEST(Accounting, HostBehindACommunicationOfTheChain) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p = make.program();
  make.compute(2);
  const auto sum = make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  make.compute(3, {sum});
  Bench bench{one_switch(2)};
  bench.stack.launch = Seconds(6e-9);
  bench.options.host_launch = HostLaunch::always;
  const StepReport report = bench.report(make.finish({p, p}));
  EXPECT_EQ(report.step, ns(23));
  EXPECT_EQ(report.actors[0].parts.host, ns(10));
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(8));
  EXPECT_EQ(report.actors[0].parts.compute, ns(5));
  expect_sums(report);
}

// The other way round: the host is last. Launch 11: issued at 11, 22, 33. Kernel 0 11..13, AllReduce 22..30, kernel 2
// starts at 33 because of the host: the whole interval 13..33 is host (the AllReduce is off the chain), exposed 0.
TEST(Accounting, CommunicationOffTheChainGetsNothing) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId p = make.program();
  make.compute(2);
  const auto sum = make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8);
  make.compute(3, {sum});
  Bench bench{one_switch(2)};
  bench.stack.launch = Seconds(11e-9);
  bench.options.host_launch = HostLaunch::always;
  const StepReport report = bench.report(make.finish({p, p}));
  EXPECT_EQ(report.step, ns(36));
  EXPECT_EQ(report.actors[0].parts.host, ns(31));
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(0));
  expect_sums(report);
}

// Stage 1 waits for stage 0: kernel of 10 there, then a message of 4 bytes. Stage 1 computes from 14 to 19: of the 14
// ns before it, 10 are bubble (the neighbour had not produced it) and 4 exposed pp. Stage 0: compute 10, then its send
// is the last op of its streams and ends at 14: exposed pp 4, then bubble to the end 5.
TEST(Accounting, LatePipelineNeighbourThenATransferThatMoves) {
  GraphMaker make(Layout{.pp = 2});
  const ProgramId p0 = make.program(0);
  const auto produce = make.compute(10);
  make.send(1, 4, {produce});
  const ProgramId p1 = make.program(1);
  const auto arrive = make.recv(0, 4);
  make.compute(5, {arrive});
  const StepReport report = Bench{one_switch(2)}.report(make.finish({p0, p1}));
  EXPECT_EQ(report.step, ns(19));
  EXPECT_EQ(report.stages.size(), 2U);
  EXPECT_EQ(report.actors[1].parts.bubble, ns(10));
  EXPECT_EQ(report.actors[1].parts.exposed[kPp], ns(4));
  EXPECT_EQ(report.actors[0].parts.exposed[kPp], ns(4));
  EXPECT_EQ(report.actors[0].parts.bubble, ns(5));
  expect_sums(report);
}

// A message that queues behind another one of its stream is exposed while it queues. Stage 0: kernel 10, sends of 6 and
// 4 bytes, both produced at 10; they leave one after the other and arrive at 16 and 20. Stage 1 needs only the second:
// it waits 10 (bubble), then 10..20 exposed pp (the data was there and could have moved).
TEST(Accounting, QueueingBehindOthersOfTheStreamIsExposed) {
  GraphMaker make(Layout{.pp = 2});
  const ProgramId p0 = make.program(0);
  const auto produce = make.compute(10);
  make.send(1, 6, {produce});
  make.send(1, 4, {produce});
  const ProgramId p1 = make.program(1);
  make.recv(0, 6, {}, Stream::recv_up);
  const auto second = make.recv(0, 4, {}, Stream::recv_down);
  make.compute(5, {second});
  StepGraph graph = make.finish({p0, p1});
  for (Comm& comm : graph.comms) comm.channel = comm.bytes == 4 ? 1 : 0;
  const StepReport report = Bench{one_switch(2)}.report(graph);
  EXPECT_EQ(report.step, ns(25));
  EXPECT_EQ(report.actors[1].parts.bubble, ns(10));
  EXPECT_EQ(report.actors[1].parts.exposed[kPp], ns(10));
  expect_sums(report);
}

// A late peer of a collective: rank 1 computes 7 ns longer. Rank 0 posts at 10, rank 1 at 17, both end at 25.
// Rank 0: peer_wait 7, exposed 8. Rank 1: exposed 8 only.
TEST(Accounting, LatePeerOfACollective) {
  GraphMaker make(Layout{.tp = 2});
  const ProgramId quick = make.program();
  make.compute(10);
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::compute, 8);
  const ProgramId slow = make.program();
  make.compute(17);
  make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::compute, 8);
  const StepReport report = Bench{one_switch(2)}.report(make.finish({quick, slow}));
  EXPECT_EQ(report.step, ns(25));
  EXPECT_EQ(report.actors[0].parts.peer_wait, ns(7));
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(8));
  EXPECT_EQ(report.actors[1].parts.peer_wait, ns(0));
  EXPECT_EQ(report.actors[1].parts.exposed[kTp], ns(8));
  expect_sums(report);
}

// A ring of two in which rank 1 comes late. Rank 0 posts its hop at 0 beside a kernel of 5, rank 1 posts after a kernel
// of 9; 8 bytes each way: 9..17. Rank 0 after its kernel: peer_wait 5..9, exposed cp 9..17, kernel of 3: ends at 20.
// Rank 1: idle 9..17 exposed cp, kernel 3 to 20.
TEST(Accounting, LateRingHop) {
  GraphMaker make(Layout{.cp = 2});
  const ProgramId p0 = make.program();
  const auto hop0 = make.hop(8);
  make.compute(5);
  make.compute(3, {hop0});
  const ProgramId p1 = make.program();
  const auto before = make.compute(9);
  const auto hop1 = make.hop(8, {before});
  make.compute(3, {hop1});
  const StepReport report = Bench{one_switch(2)}.report(make.finish({p0, p1}));
  EXPECT_EQ(report.step, ns(20));
  EXPECT_EQ(report.actors[0].parts.peer_wait, ns(4));
  EXPECT_EQ(report.actors[0].parts.exposed[kCp], ns(8));
  EXPECT_EQ(report.actors[1].parts.peer_wait, ns(0));
  EXPECT_EQ(report.actors[1].parts.exposed[kCp], ns(8));
  expect_sums(report);
}

// The tail: stage 0 (two DP ranks) reduces 12 bytes after its kernel of 10 and is done at 22; stage 1 computes 30.
// Stage 0: compute 10, exposed dp 12, bubble 8. Stage 1: all compute.
TEST(Accounting, AfterTheLastOpOfAllStreamsIsBubble) {
  GraphMaker make(Layout{.pp = 2, .dp = 2});
  const ProgramId p0 = make.program(0);
  const auto last = make.compute(10);
  make.collective(CommKind::all_reduce, GroupKind::dp_cp, Axis::dp, Stream::dp, 12, {last});
  const ProgramId p1 = make.program(1);
  make.compute(30);
  const StepReport report = Bench{one_switch(4)}.report(make.finish({p0, p0, p1, p1}));
  EXPECT_EQ(report.step, ns(30));
  EXPECT_EQ(report.actors[0].ranks, 2U);
  EXPECT_EQ(report.actors[0].parts.exposed[kDp], ns(12));
  EXPECT_EQ(report.actors[0].parts.bubble, ns(8));
  EXPECT_EQ(report.actors[1].parts.compute, ns(30));
  expect_sums(report);
}

// Two communications end together at 18 and the next kernel needs both: the tie goes to tp before dp, so tp gets 8 and
// dp nothing although it moved longer.
TEST(Accounting, TiesGoInTheOrderOfTheRule) {
  GraphMaker make(Layout{.tp = 2, .dp = 2});
  const ProgramId p = make.program();
  const auto first = make.compute(6);
  const auto second = make.compute(4);
  const auto dp = make.collective(CommKind::all_reduce, GroupKind::dp_cp, Axis::dp, Stream::dp, 12, {first});
  const auto tp = make.collective(CommKind::all_reduce, GroupKind::tp, Axis::tp, Stream::tp, 8, {second});
  make.compute(2, {dp, tp});
  Bench bench{one_switch(4)};
  bench.options.max_min = false;
  const StepReport report = bench.report(make.finish({p, p, p, p}));
  EXPECT_EQ(report.step, ns(20));
  EXPECT_EQ(report.actors[0].parts.exposed[kTp], ns(8));
  EXPECT_EQ(report.actors[0].parts.exposed[kDp], ns(0));
  expect_sums(report);
}

}  // namespace
}  // namespace stepsim::testing
