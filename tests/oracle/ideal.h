#pragma once
// Steps on the ideal accelerator (100 TFLOP/s at every shape, free memory, no launch cost), where textbook formulas are
// exact.

#include <limits>
#include <memory>

#include "sim/base/diagnostic.h"
#include "sim/engine/simulate.h"
#include "topology/fabric.h"
#include "workloads/lower.h"

namespace stepsim::testing {

inline constexpr double kIdealFlops = 1e14;
/// Formulas and picoseconds differ by rounding only.
inline constexpr double kRounding = 1e-6;

inline Accelerator ideal_chip() {
  Accelerator chip;
  chip.name = "ideal";
  chip.ideal = true;
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16, Dtype::fp8, Dtype::fp32})
    chip.peak[dtype] = FlopsPerSecond(kIdealFlops);
  chip.memory_capacity = Bytes(1e18);
  chip.memory_bandwidth = BytesPerSecond(1e30);
  return chip;
}

/// A dense MHA model: plain FFN of 4D, no vocabulary, no positions.
inline ModelSpec textbook_model(int layers, int hidden = 1024, int heads = 8, int kv_heads = 8) {
  ModelSpec model;
  model.name = "textbook";
  model.layers = layers;
  model.hidden = hidden;
  model.ffn = 4 * hidden;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.head_dim = hidden / heads;
  model.mlp = MlpKind::plain;
  model.positions = PositionKind::none;
  return model;
}

/// A step and the one switch under it.
struct IdealStep {
  StepSpec spec;
  BytesPerSecond bandwidth{std::numeric_limits<double>::infinity()};
  Seconds latency;

  [[nodiscard]] StepGraph graph() const { return lower(spec); }

  [[nodiscard]] StepReport run() const { return run(graph()); }
  [[nodiscard]] StepReport run(const StepGraph& step) const {
    ClusterSpec cluster;
    cluster.levels.emplace_back();
    cluster.levels[0].name = "wire";
    cluster.levels[0].size = spec.layout.ranks();
    cluster.levels[0].bandwidth = bandwidth;
    cluster.levels[0].latency = latency;
    Diagnostics diagnostics;
    const auto fabric = build_fabric(cluster, diagnostics);
    const Accelerator chip = ideal_chip();
    const Machine machine{*fabric, chip, spec.stack};
    return account(step, machine, simulate(step, machine, {}, {}));
  }
};

/// Training of `model` without optimizer, 1,024 tokens a sequence.
inline IdealStep textbook_training(const ModelSpec& model, const Layout& layout, int microbatches) {
  IdealStep step;
  step.spec.model = model;
  step.spec.layout = layout;
  step.spec.workload.kind = WorkloadKind::training;
  step.spec.workload.seq_len = 1024;
  step.spec.workload.global_batch = microbatches * layout.dp;
  step.spec.workload.optimizer = Optimizer::none;
  step.spec.workload.schedule = layout.virtual_stages > 1 ? "interleaved_1f1b" : "1f1b";
  step.spec.memory_capacity = Bytes(1e18);
  return step;
}

inline double seconds(SimTime time) { return to_seconds(time).value(); }

}  // namespace stepsim::testing
