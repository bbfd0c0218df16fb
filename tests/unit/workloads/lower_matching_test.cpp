// Do the programs of all ranks fit together: messages, collectives, dependencies, whatever the layout?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "tests/unit/workloads/lowered.h"
#include "workloads/layout_rules.h"

namespace stepsim {
namespace {

using namespace test;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[engine_() % choices.size()];  // std::uniform_int_distribution's draws differ by library
  }
  bool coin() { return engine_() % 2 == 0; }

 private:
  std::mt19937 engine_;
};

ModelSpec random_model(Dice& dice) {
  ModelSpec m = textbook(dice.pick({4, 8}), 256, 8, dice.pick({0, 512}));
  m.kv_heads = dice.pick({1, 4, 8});
  m.mlp = dice.pick({MlpKind::plain, MlpKind::gated});
  m.positions = dice.pick({PositionKind::none, PositionKind::rotary});
  m.tied_embeddings = dice.coin();
  if (dice.coin())
    m.moe = {
        .experts = 8, .top_k = 2, .ffn = 128, .shared_experts = dice.pick({0, 1}), .dense_layers = dice.pick({0, 1})};
  if (dice.pick({0, 0, 1}) == 1) {
    m.mla = {.q_rank = 64, .kv_rank = 32, .rope_dim = 16, .nope_dim = 32, .value_dim = 32};
    m.kv_heads = m.heads;
  }
  return m;
}

Layout random_layout(Dice& dice, bool experts) {
  Layout l;
  l.tp = dice.pick({1, 2, 4}), l.cp = dice.pick({1, 1, 2, 4}), l.pp = dice.pick({1, 2, 4}), l.dp = dice.pick({1, 2, 4});
  if (experts) l.ep = dice.pick({1, 2, 4, 8}), l.etp = dice.pick({1, 1, 2});
  l.virtual_stages = l.pp > 1 ? dice.pick({1, 2}) : 1;
  l.sequence_parallel = dice.coin();
  if (dice.coin()) l.order = {Axis::pp, Axis::dp, Axis::tp, Axis::ep, Axis::cp};
  return l;
}

void randomise_workload(Dice& dice, StepSpec& spec) {
  Workload& w = spec.workload;
  w.kind = dice.pick({WorkloadKind::training, WorkloadKind::training, WorkloadKind::prefill, WorkloadKind::decode});
  w.seq_len = 256, w.context_len = 1024, w.cached_len = dice.pick({0, 256});
  w.micro_batch = dice.pick({1, 2}), w.batch = spec.layout.dp * dice.pick({1, 4, 8});
  w.global_batch = spec.layout.dp * w.micro_batch * spec.layout.pp * dice.pick({1, 2, 4});
  w.schedule =
      spec.layout.virtual_stages > 1 ? "interleaved_1f1b" : dice.pick<const char*>({"1f1b", "gpipe", "dualpipe"});
  w.zero_stage = dice.pick({0, 1, 2, 3});
  w.optimizer = dice.pick({Optimizer::none, Optimizer::adam});
  w.recompute = dice.pick({Recompute::none, Recompute::selective, Recompute::full});
  if (dice.coin()) w.gradient_sync = dice.pick({GradientSync::last, GradientSync::every_microbatch});
  if (spec.layout.ep > 1) w.routing.imbalance = dice.pick({1.0, 1.5});
  if (w.kind != WorkloadKind::training) spec.layout.virtual_stages = 1;
}

StepSpec random_spec(Dice& dice) {
  StepSpec spec;
  spec.model = random_model(dice);
  spec.layout = random_layout(dice, spec.model.has_moe());
  randomise_workload(dice, spec);
  spec.overlap = {.tp = dice.coin(), .cp = dice.coin(), .pp = dice.coin(), .dp = dice.coin(), .ep = dice.coin()};
  spec.context_parallel.causal_balance = dice.pick({CausalBalance::zigzag, CausalBalance::contiguous});
  spec.context_parallel.hop_sync = dice.pick({HopSync::lockstep, HopSync::eager});
  spec.stack.flash_attention = dice.coin();
  spec.stack.gradient_bucket = Bytes(dice.pick({1e5, 1e7}));
  spec.memory_capacity = Bytes(1e12);
  return spec;
}

std::string text_of(const StepSpec& spec) {
  const Layout& l = spec.layout;
  std::string text = spec.workload.schedule;
  for (const int number :
       {static_cast<int>(spec.workload.kind), l.tp, l.cp, l.pp, l.dp, l.ep, l.etp, l.virtual_stages}) {
    text += " " + std::to_string(number);
  }
  return text + " zero " + std::to_string(spec.workload.zero_stage);
}

/// Calls check(spec, graph) for every allowed one of `draws` random steps.
template <class Check>
void for_random_steps(unsigned seed, int draws, Check check) {
  Dice dice(seed);
  int allowed = 0;
  for (int i = 0; i < draws; ++i) {
    const StepSpec spec = random_spec(dice);
    if (!layout_problems(spec, static_cast<std::size_t>(spec.layout.ranks())).empty()) continue;
    ++allowed;
    SCOPED_TRACE(text_of(spec));
    check(spec, lower(spec));
    if (testing::Test::HasFailure()) return;  // one step's report is enough to read
  }
  EXPECT_GT(allowed, draws / 8);  // else the draw no longer reaches what it tests
}

// ---- dependencies ----

TEST(LoweredPrograms, DependOnEarlierOpsOnly) {
  for_random_steps(1, 300, [](const StepSpec&, const StepGraph& graph) {
    for (const Program& program : graph.programs) {
      ASSERT_EQ(program.deps.rows(), program.ops.size());
      for (std::size_t i = 0; i < program.ops.size(); ++i) {
        for (const std::uint32_t dep : program.deps.row(i)) ASSERT_LT(dep, i);
      }
    }
  });
}

/// A kernel of the same microbatch follows.
bool has_later_kernel(const Program& program, std::size_t from) {
  return std::any_of(program.ops.begin() + static_cast<std::ptrdiff_t>(from), program.ops.end(), [&](const Op& op) {
    return op.kind == OpKind::compute && op.pass != PassKind::optimizer &&
           op.microbatch == program.ops[from].microbatch;
  });
}

/// A communication beside compute whose result nobody waits for although its microbatch goes on, or -1. Sends need no
/// reader; gradients that nothing but the end of the step waits for neither.
long unread_communication(const Program& program) {
  std::vector<bool> read(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    for (const std::uint32_t dep : program.deps.row(i)) read[dep] = true;
  }
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.stream == Stream::compute || op.kind == OpKind::send || op.stream == Stream::dp) continue;
    // The next hop of a ring's stream may be the reader.
    if (!read[i] && op.kind != OpKind::ring_hop && has_later_kernel(program, i)) return static_cast<long>(i);
  }
  return -1;
}

/// Names of the ops around one.
std::string neighbourhood(const StepGraph& graph, const Program& program, long at) {
  std::string text;
  for (long i = std::max(0L, at - 3); i < std::min(at + 4, static_cast<long>(program.ops.size())); ++i) {
    const Op& op = program.ops[static_cast<std::size_t>(i)];
    const Kernel* kernel = kernel_of(graph, op);
    text +=
        (i == at ? " [" : " ") + (kernel != nullptr ? kernel->name : comm_of(graph, op)->name) + (i == at ? "]" : "");
  }
  return text;
}

TEST(LoweredPrograms, WaitForEachCommunication) {
  for_random_steps(2, 300, [](const StepSpec&, const StepGraph& graph) {
    for (const Program& program : graph.programs) {
      const long unread = unread_communication(program);
      ASSERT_EQ(unread, -1) << neighbourhood(graph, program, unread);
    }
  });
}

// ---- messages ----

struct Message {
  std::int64_t bytes;
  int microbatch;
  bool operator==(const Message&) const = default;
};
/// By pipeline rank of sender and receiver, and channel.
using Channels = std::map<std::tuple<int, int, int>, std::vector<Message>>;

Channels messages(const StepGraph& graph, OpKind kind) {
  Channels channels;
  for (int stage = 0; stage < graph.grid.layout().pp; ++stage) {
    const RankId rank = graph.grid.rank(0, 0, 0, stage);
    for (const Op& op : program_of(graph, rank.index()).ops) {
      if (op.kind != kind) continue;
      const Comm& comm = *comm_of(graph, op);
      const auto ends = kind == OpKind::send ? std::tuple{stage, int{comm.peer_stage}, int{comm.channel}}
                                             : std::tuple{int{comm.peer_stage}, stage, int{comm.channel}};
      channels[ends].push_back({comm.bytes, op.microbatch});
    }
  }
  return channels;
}

// The k-th send of a channel is the k-th receive of its other side.
TEST(LoweredPrograms, SendsMeetReceivesInOrder) {
  for_random_steps(3, 400, [](const StepSpec&, const StepGraph& graph) {
    ASSERT_EQ(messages(graph, OpKind::send), messages(graph, OpKind::recv));
  });
}

// Each microbatch crosses each of the p v - 1 boundaries once forward and once backward: s b D e bytes, 1/t with
// sequence parallelism.
TEST(LoweredPrograms, EachBoundaryIsCrossedOnceEachWay) {
  for (const int v : {1, 2, 3}) {
    for (const bool split : {false, true}) {
      const Layout layout{.tp = 2, .pp = 4, .virtual_stages = v, .sequence_parallel = split};
      const StepGraph graph = lower(training_spec(textbook(12, 256, 4), layout, 8, 128));
      std::size_t sends = 0;
      for (const auto& [ends, list] : messages(graph, OpKind::send)) {
        sends += list.size();
        for (const Message& message : list) EXPECT_EQ(message.bytes, 128 * 256 * 2 / (split ? 2 : 1));
      }
      EXPECT_EQ(sends, 8U * 2 * (4U * static_cast<unsigned>(v) - 1));
    }
  }
}

// ---- collectives ----

using Meetings = std::vector<std::pair<CommKind, std::int64_t>>;

Meetings meetings(const StepGraph& graph, RankId rank, GroupKind group) {
  Meetings list;
  for (const Op& op : program_of(graph, rank.index()).ops) {
    if (op.kind != OpKind::collective && op.kind != OpKind::ring_hop) continue;
    const Comm& comm = *comm_of(graph, op);
    if (comm.group == group) list.emplace_back(comm.kind, comm.bytes);
  }
  return list;
}

// The k-th collective of a group is the k-th of each member, with the same bytes.
TEST(LoweredPrograms, MembersOfAGroupMeetInOneOrder) {
  for_random_steps(4, 200, [](const StepSpec&, const StepGraph& graph) {
    for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(graph.grid.ranks()); ++r) {
      for (int kind = 0; kind < kGroupKinds; ++kind) {
        const auto group = static_cast<GroupKind>(kind);
        const std::vector<RankId> members = graph.grid.members(group, RankId(r));
        if (members.front() == RankId(r)) continue;
        ASSERT_EQ(meetings(graph, RankId(r), group), meetings(graph, members.front(), group)) << name_of(group);
      }
    }
  });
}

// A group of one has nothing to say.
TEST(LoweredPrograms, NobodyTalksToHimself) {
  for_random_steps(5, 200, [](const StepSpec&, const StepGraph& graph) {
    for (const Comm& comm : graph.comms) {
      if (comm.kind == CommKind::send || comm.kind == CommKind::recv) continue;
      ASSERT_GT(graph.grid.group_size(comm.group), 1) << comm.name;
      ASSERT_GT(comm.bytes, 0) << comm.name;
    }
  });
}

// ---- classes and tables ----

TEST(LoweredPrograms, OneForEachClassOfRanks) {
  StepSpec spec = training_spec(textbook(8, 256, 8), Layout{.tp = 2, .cp = 4, .pp = 4, .dp = 2}, 4, 128);
  EXPECT_EQ(lower(spec).programs.size(), 4U);
  spec.context_parallel.causal_balance = CausalBalance::contiguous;
  EXPECT_EQ(lower(spec).programs.size(), 4U * 4);
}

TEST(LoweredPrograms, BusiestExpertsAreAClassOfTheirOwn) {
  ModelSpec model = textbook(2, 256, 4);
  model.moe = {.experts = 8, .top_k = 2, .ffn = 128};
  StepSpec spec = training_spec(model, Layout{.dp = 8, .ep = 4}, 1, 128);
  EXPECT_EQ(lower(spec).programs.size(), 1U);
  spec.workload.routing.imbalance = 2;
  const StepGraph graph = lower(spec);
  EXPECT_EQ(graph.programs.size(), 2U);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(graph.program_of_rank[rank] == graph.program_of_rank[0], rank % 4 == 0) << rank;
  }
}

TEST(LoweredPrograms, TablesHoldEachItemOnce) {
  for_random_steps(6, 60, [](const StepSpec&, const StepGraph& graph) {
    for (auto a = graph.kernels.begin(); a != graph.kernels.end(); ++a)
      ASSERT_EQ(std::count(a, graph.kernels.end(), *a), 1);
    for (auto a = graph.comms.begin(); a != graph.comms.end(); ++a) ASSERT_EQ(std::count(a, graph.comms.end(), *a), 1);
  });
}

}  // namespace
}  // namespace stepsim
