#include "sim/studies/ring_step.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stepsim {
namespace {

/// The k-th hop of a layer's pass is posted together with its k-th attention kernel.
struct Pair {
  std::pair<PassKind, int> step;  ///< which ring step of which pass
  std::size_t hop = 0, attention = 0;
};

struct PassOps {
  std::vector<std::size_t> hops, attentions;
};

bool is_attention(const StepGraph& graph, const Op& op) {
  return op.kind == OpKind::compute && std::holds_alternative<Attention>(graph.kernels[KernelId(op.what)].work);
}

std::vector<Pair> pairs_of(const StepGraph& graph, const Program& program) {
  std::map<std::tuple<PassKind, int, int, int>, PassOps> passes;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const bool hop = op.kind == OpKind::ring_hop;
    if (!hop && !is_attention(graph, op)) continue;
    PassOps& pass = passes[{op.pass, op.chunk, op.microbatch, op.layer}];
    (hop ? pass.hops : pass.attentions).push_back(i);
  }
  std::vector<Pair> pairs;
  for (const auto& [key, pass] : passes) {
    for (std::size_t k = 0; k < std::min(pass.hops.size(), pass.attentions.size()); ++k) {
      pairs.push_back(
          {.step = {std::get<0>(key), static_cast<int>(k)}, .hop = pass.hops[k], .attention = pass.attentions[k]});
    }
  }
  return pairs;
}

struct Sums {
  SimTime hop, block;
  int count = 0;
};
using SumsByStep = std::map<std::pair<PassKind, int>, Sums>;

SumsByStep sums_of(const std::vector<Pair>& pairs, const Actor& actor) {
  SumsByStep sums;
  for (const Pair& pair : pairs) {
    const OpTimes& hop = actor.times[pair.hop];
    const OpTimes& attention = actor.times[pair.attention];
    Sums& sum = sums[pair.step];
    sum.hop += hop.ended - hop.moved;
    sum.block += attention.ended - attention.moved;
    ++sum.count;
  }
  return sums;
}

SimTime attention_time(const SumsByStep& sums) {
  SimTime total;
  for (const auto& [step, sum] : sums) total += sum.block;
  return total;
}

Seconds mean(SimTime sum, int count) { return to_seconds(sum) / count; }

Seconds slowest_hop(const std::vector<SumsByStep>& actors, const std::pair<PassKind, int>& step) {
  Seconds slowest;
  for (const SumsByStep& sums : actors) {
    const auto found = sums.find(step);
    if (found != sums.end()) slowest = std::max(slowest, mean(found->second.hop, found->second.count));
  }
  return slowest;
}

std::vector<SumsByStep> sums_of_all(const StepGraph& graph, const Timeline& timeline) {
  IdVector<ProgramId, std::vector<Pair>> pairs;
  for (const Program& program : graph.programs) pairs.push_back(pairs_of(graph, program));
  std::vector<SumsByStep> sums;
  for (const Actor& actor : timeline.actors) sums.push_back(sums_of(pairs[actor.program], actor));
  return sums;
}

}  // namespace

std::optional<RingStep> tightest_ring_step(const StepGraph& graph, const Timeline& timeline) {
  const std::vector<SumsByStep> actors = sums_of_all(graph, timeline);
  const auto pace = std::max_element(actors.begin(), actors.end(), [](const SumsByStep& a, const SumsByStep& b) {
    return attention_time(a) < attention_time(b);
  });
  std::optional<RingStep> tightest;
  if (pace == actors.end()) return tightest;
  for (const auto& [step, sum] : *pace) {
    const RingStep here{.hop = slowest_hop(actors, step), .block = mean(sum.block, sum.count)};
    if (!tightest || here.margin() < tightest->margin()) tightest = here;
  }
  return tightest;
}

}  // namespace stepsim
