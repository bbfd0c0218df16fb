#pragma once
// Scenarios on hardware where textbook formulas are exact: 100 TFLOP/s at every shape, one switch.

#include <limits>

#include "sim/scenario/scenario.h"

namespace stepsim {

inline constexpr double kIdealRate = 100e12;

/// `ranks` devices under one switch; memory without limit.
inline Scenario ideal_scenario(int ranks, double bandwidth) {
  Scenario scenario;
  scenario.title = "ideal";
  scenario.accelerator.name = "ideal";
  scenario.accelerator.ideal = true;
  scenario.accelerator.peak[Dtype::bf16] = FlopsPerSecond(kIdealRate);
  scenario.accelerator.memory_capacity = Bytes(std::numeric_limits<double>::infinity());
  scenario.accelerator.memory_bandwidth = BytesPerSecond(1e30);
  scenario.cluster.levels.emplace_back();
  scenario.cluster.levels[0].name = "wire";
  scenario.cluster.levels[0].size = ranks;
  scenario.cluster.levels[0].bandwidth = BytesPerSecond(bandwidth);
  scenario.model.name = "textbook";
  scenario.model.layers = 8;
  scenario.model.hidden = 1024;
  scenario.model.ffn = 4096;
  scenario.model.heads = scenario.model.kv_heads = 8;
  scenario.model.head_dim = 128;
  scenario.model.mlp = MlpKind::plain;
  scenario.model.positions = PositionKind::none;
  return scenario;
}

/// Training without optimizer, 8 sequences of 1,024 tokens.
inline Scenario ideal_training(const Layout& layout) {
  Scenario scenario = ideal_scenario(layout.ranks(), std::numeric_limits<double>::infinity());
  scenario.layout = layout;
  scenario.workload.seq_len = 1024;
  scenario.workload.global_batch = 8;
  scenario.workload.optimizer = Optimizer::none;
  return scenario;
}

/// Prefill over a ring of 4, 2 KV heads for 8 query heads, 50 GB/s. The hop hides from
/// s = n (n_kv/n_q) e C/B = 4 x 2/8 x 2 x 100e12/50e9 = 4,000 tokens on (physics.md).
inline Scenario ideal_ring(int tokens) {
  Scenario scenario = ideal_scenario(4, 50e9);
  scenario.model.kv_heads = 2;
  scenario.layout.cp = 4;
  scenario.workload.kind = WorkloadKind::prefill;
  scenario.workload.batch = 1;
  scenario.workload.seq_len = tokens;
  scenario.stress.emplace();
  return scenario;
}

}  // namespace stepsim
