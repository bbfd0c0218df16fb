#include "sim/studies/closed_form.h"

#include <algorithm>
#include <cmath>

namespace stepsim {
namespace {

// One ring step of rank r (physics.md, after Ring Attention, arXiv 2310.01889). s new tokens, P cached, n ranks; a rank
// of a TP group of t has n_q/t query heads and ceil(n_kv/t) KV heads of d:
//   hop   = 2 (s + P)/n ceil(n_kv/t) d e / B
//   block = 4 (s/n) (s/2 + P)/n (n_q/t) d / C         zigzag: each step has half of the new tokens' square
// Contiguous: the last rank's first step is its own diagonal block, 2 (s/n)^2 (n_q/t) d / C, the tightest one: the
// same. hop <= block  <=>  s (s/2 + P)/(s + P) >= X,  X = n ceil(n_kv/t) e C / (2 (n_q/t) B).

bool formula_holds(const Scenario& scenario) {
  const bool diagonal =
      scenario.context_parallel.causal_balance == CausalBalance::zigzag || scenario.workload.cached_len == 0;
  return !scenario.model.has_mla() && diagonal && scenario.workload.kind != WorkloadKind::decode &&
         scenario.accelerator.peak.count(scenario.workload.precision.attention) > 0;
}

/// X B of the formula above: in bytes/s times tokens.
double tokens_times_bandwidth(const Scenario& scenario, double slowdown) {
  const Layout& layout = scenario.layout;
  const double kv_heads = std::ceil(static_cast<double>(scenario.model.kv_heads) / layout.tp);
  const double q_heads = static_cast<double>(scenario.model.heads) / layout.tp;
  const Precision& precision = scenario.workload.precision;
  const double rate = scenario.accelerator.peak.at(precision.attention).value() / slowdown;
  return layout.cp * kv_heads * bytes_per_element(precision.activations).value() * rate / (2 * q_heads);
}

}  // namespace

std::optional<BytesPerSecond> ring_bandwidth(const Fabric& fabric, const RankGrid& grid) {
  const std::vector<RankId> ring = grid.members(GroupKind::cp, RankId(0u));
  Capacity slowest = kUnlimited;
  Route route;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const RankId next = ring[(i + 1) % ring.size()];
    fabric.first_route(DeviceId(ring[i].index()), DeviceId(next.index()), route);
    for (const LinkId link : route.links) slowest = std::min(slowest, fabric.capacity(link));
  }
  if (slowest == kUnlimited) return std::nullopt;
  return BytesPerSecond(static_cast<double>(slowest) / 65536.0);
}

std::optional<double> hiding_seq_len(const Scenario& scenario, BytesPerSecond bandwidth, double slowdown) {
  if (!formula_holds(scenario)) return std::nullopt;
  const double x = tokens_times_bandwidth(scenario, slowdown) / bandwidth.value();
  const double cached = scenario.workload.cached_len;
  // The positive root of s^2/2 + (P - X) s - X P = 0; 2X without a cache.
  return x - cached + std::sqrt(x * x + cached * cached);
}

std::optional<BytesPerSecond> hiding_bandwidth(const Scenario& scenario, double slowdown) {
  if (!formula_holds(scenario)) return std::nullopt;
  const double s = scenario.workload.seq_len;
  const double cached = scenario.workload.cached_len;
  return BytesPerSecond(tokens_times_bandwidth(scenario, slowdown) * (s + cached) / (s * (s / 2 + cached)));
}

}  // namespace stepsim
