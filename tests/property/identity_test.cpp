// What must hold for every step, whatever its layout: 1,000 random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <map>

#include "random_step.h"
#include "tests/support/random_cases.h"

namespace stepsim::testing {
namespace {

/// The longest chain of kernels through ops, messages and collectives when communication takes no time: a lower bound
/// of any step. Worked out on all ranks by repeated sweeps, apart from the engine.
class CriticalPath {
 public:
  CriticalPath(const StepGraph& graph, const Timeline& timeline) : graph_(graph), timeline_(timeline) {
    for (std::size_t r = 0; r < graph.program_of_rank.size(); ++r) ends_.emplace_back(program(r).ops.size(), 0);
  }

  std::int64_t length() {
    while (sweep()) {
    }
    std::int64_t longest = 0;
    for (const auto& row : ends_) {
      for (const std::int64_t end : row) longest = std::max(longest, end);
    }
    return longest;
  }

 private:
  const Program& program(std::size_t rank) const { return graph_.programs[graph_.program_of_rank[rank]]; }

  bool sweep() {
    bool changed = false;
    for (std::size_t r = 0; r < ends_.size(); ++r) changed |= sweep_rank(r);
    for (std::size_t r = 0; r < ends_.size(); ++r) changed |= pull_messages(r) | pull_collectives(r);
    return changed;
  }

  bool sweep_rank(std::size_t r) {
    bool changed = false;
    std::array<std::int64_t, kStreams> stream{};
    const Program& p = program(r);
    for (std::size_t op = 0; op < p.ops.size(); ++op) {
      auto& before = stream[static_cast<std::size_t>(p.ops[op].stream)];
      std::int64_t start = before;
      for (const std::uint32_t dep : p.deps.row(op)) start = std::max(start, ends_[r][dep]);
      const std::int64_t end = start + kernel_time_of(r, op);
      changed |= raise(ends_[r][op], end);
      before = ends_[r][op];
    }
    return changed;
  }

  /// What the kernel took at full speed: its measured time less what communication slowed.
  std::int64_t kernel_time_of(std::size_t r, std::size_t op) const {
    if (program(r).ops[op].kind != OpKind::compute) return 0;
    const Actor& actor = timeline_.actors[timeline_.actor_of_rank[r].index()];
    // The slowest that a kernel can get is 1/16 of full speed; a lower bound must not count slowdown at all.
    const std::int64_t took = (actor.times[op].ended - actor.times[op].posted).ps();
    return actor.slowed_by_comm.ps() > 0 ? took / 16 : took;
  }

  bool pull_messages(std::size_t r) {
    bool changed = false;
    std::map<std::pair<int, int>, std::size_t> received;
    const Program& p = program(r);
    for (std::size_t op = 0; op < p.ops.size(); ++op) {
      if (p.ops[op].kind != OpKind::recv) continue;
      const Comm& comm = graph_.comms[CommId(p.ops[op].what)];
      const auto peer = graph_.grid.on_stage(RankId(r), comm.peer_stage).index();
      const std::size_t k = received[{comm.peer_stage, comm.channel}]++;
      changed |= raise(ends_[r][op], ends_[peer][kth_send(peer, p.pipeline_rank, comm.channel, k)]);
    }
    return changed;
  }

  std::size_t kth_send(std::size_t r, int to, int channel, std::size_t k) const {
    const Program& p = program(r);
    for (std::size_t op = 0; op < p.ops.size(); ++op) {
      if (p.ops[op].kind != OpKind::send) continue;
      const Comm& comm = graph_.comms[CommId(p.ops[op].what)];
      if (comm.peer_stage == to && comm.channel == channel && k-- == 0) return op;
    }
    ADD_FAILURE() << "a receive without its send";
    return 0;
  }

  bool pull_collectives(std::size_t r) {
    bool changed = false;
    std::map<std::pair<GroupKind, bool>, std::size_t> seen;
    const Program& p = program(r);
    for (std::size_t op = 0; op < p.ops.size(); ++op) {
      if (p.ops[op].kind != OpKind::collective) continue;
      const Comm& comm = graph_.comms[CommId(p.ops[op].what)];
      const bool pairs = comm.kind == CommKind::all_to_all;
      const std::size_t k = seen[{comm.group, pairs}]++;
      for (const RankId member : graph_.grid.members(comm.group, RankId(r))) {
        changed |= raise(ends_[r][op], ends_[member.index()][kth_collective(member.index(), comm.group, pairs, k)]);
      }
    }
    return changed;
  }

  std::size_t kth_collective(std::size_t r, GroupKind group, bool pairs, std::size_t k) const {
    const Program& p = program(r);
    for (std::size_t op = 0; op < p.ops.size(); ++op) {
      if (p.ops[op].kind != OpKind::collective) continue;
      const Comm& comm = graph_.comms[CommId(p.ops[op].what)];
      if (comm.group == group && (comm.kind == CommKind::all_to_all) == pairs && k-- == 0) return op;
    }
    ADD_FAILURE() << "a collective that one member lacks";
    return 0;
  }

  static bool raise(std::int64_t& value, std::int64_t to) {
    if (to <= value) return false;
    value = to;
    return true;
  }

  const StepGraph& graph_;
  const Timeline& timeline_;
  std::vector<std::vector<std::int64_t>> ends_;
};

struct Played {
  Timeline timeline;
  StepReport report;
};

Played play(const RandomStep& step, const StepGraph& graph, const Fabric& fabric, bool fold) {
  SimulationOptions options = step.options;
  options.fold = fold;
  const Machine machine{fabric, step.accelerator, step.spec.stack};
  Timeline timeline = simulate(graph, machine, options, step.perturbation);
  StepReport report = account(graph, machine, timeline);
  return {std::move(timeline), std::move(report)};
}

void expect_parts_sum(const Played& played) {
  for (const ActorReport& actor : played.report.actors) ASSERT_EQ(actor.parts.total(), played.report.step);
}

void expect_bytes_conserved(const Played& played) {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    std::int64_t sent = 0, received = 0;
    for (const ActorReport& actor : played.report.actors) {
      sent += actor.sent_bytes[axis] * actor.ranks;
      received += actor.received_bytes[axis] * actor.ranks;
    }
    ASSERT_EQ(sent, received) << "axis " << axis;
  }
}

const ActorReport& report_of(const Played& played, std::size_t rank) {
  return played.report.actors[played.timeline.actor_of_rank[rank].index()];
}

void expect_equal(const Played& folded, const Played& alone) {
  ASSERT_EQ(folded.report.step, alone.report.step);
  for (std::size_t r = 0; r < alone.timeline.actor_of_rank.size(); ++r) {
    const ActorReport& a = report_of(folded, r);
    const ActorReport& b = report_of(alone, r);
    ASSERT_EQ(a.parts.compute, b.parts.compute) << "rank " << r;
    ASSERT_EQ(a.parts.exposed, b.parts.exposed) << "rank " << r;
    ASSERT_EQ(a.parts.bubble, b.parts.bubble) << "rank " << r;
    ASSERT_EQ(a.parts.peer_wait, b.parts.peer_wait) << "rank " << r;
    ASSERT_EQ(a.parts.host, b.parts.host) << "rank " << r;
    ASSERT_EQ(a.slowed_by_comm, b.slowed_by_comm) << "rank " << r;
    ASSERT_EQ(a.sent_bytes, b.sent_bytes) << "rank " << r;
  }
}

TEST(Identity, HoldsOnRandomSteps) {
  RandomSteps steps(2026);
  std::size_t folded_away = 0;
  for (int round = 0; round < random_cases(1'200); ++round) {
    const RandomStep step = steps.next();
    SCOPED_TRACE("round " + std::to_string(round) + ": " + step.describe());
    Diagnostics diagnostics;
    const auto fabric = build_fabric(step.cluster, diagnostics);
    if (fabric == nullptr) continue;  // a fault on a link that this cluster lacks
    const StepGraph graph = lower(step.spec);
    const Played folded = play(step, graph, *fabric, true);
    const Played alone = play(step, graph, *fabric, false);
    expect_parts_sum(folded);
    expect_parts_sum(alone);
    expect_bytes_conserved(folded);
    expect_bytes_conserved(alone);
    expect_equal(folded, alone);
    if (round % 4 == 0) {
      ASSERT_GE(alone.timeline.end.ps(), CriticalPath(graph, alone.timeline).length());
    }
    if (::testing::Test::HasFailure()) return;
    folded_away += alone.timeline.actors.size() - folded.timeline.actors.size();
  }
  EXPECT_GT(folded_away, 0U) << "nothing was ever folded: this test compared equal things";
}

// The same scenario and seed: the same times of every op.
TEST(Identity, SameSeedSameTimes) {
  RandomSteps steps(5);
  for (int round = 0; round < random_cases(40); ++round) {
    const RandomStep step = steps.next();
    Diagnostics diagnostics;
    const auto fabric = build_fabric(step.cluster, diagnostics);
    if (fabric == nullptr) continue;
    const StepGraph graph = lower(step.spec);
    const Played a = play(step, graph, *fabric, true);
    const Played b = play(step, graph, *fabric, true);
    ASSERT_EQ(a.timeline.end, b.timeline.end);
    for (std::size_t i = 0; i < a.timeline.actors.size(); ++i) {
      for (std::size_t op = 0; op < a.timeline.actors[i].times.size(); ++op) {
        ASSERT_EQ(a.timeline.actors[i].times[op].ended, b.timeline.actors[i].times[op].ended);
      }
    }
  }
}

// A slower rank never makes a step shorter, and no faster link makes it longer, with contention off (fixed order on
// every stream: the step is a max-plus expression of its durations).
TEST(Identity, SlowerIsNeverFaster) {
  RandomSteps steps(9);
  for (int round = 0; round < random_cases(150); ++round) {
    RandomStep step = steps.next();
    step.options.max_min = false;
    step.accelerator.comm_sm_share = step.accelerator.p2p_sm_share = 0;
    step.perturbation = {};
    step.cluster.faults.clear();
    Diagnostics diagnostics;
    const auto fabric = build_fabric(step.cluster, diagnostics);
    const StepGraph graph = lower(step.spec);
    const SimTime plain = play(step, graph, *fabric, true).timeline.end;
    step.perturbation.slow_ranks = {{0, 1.5}};
    SCOPED_TRACE(step.describe());
    EXPECT_GE(play(step, graph, *fabric, true).timeline.end, plain);
    step.perturbation = {};
    for (LevelSpec& level : step.cluster.levels) level.bandwidth *= 2;
    const auto faster = build_fabric(step.cluster, diagnostics);
    EXPECT_LE(play(step, graph, *faster, true).timeline.end, plain);
  }
}

}  // namespace
}  // namespace stepsim::testing
