#pragma once
// Steps written by hand, op by op, on a cluster whose links are round numbers.

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/engine/simulate.h"
#include "topology/fabric.h"
#include "workloads/step_graph.h"

namespace stepsim::testing {

using Deps = std::initializer_list<std::uint32_t>;

/// Builds a StepGraph. Times are nanoseconds: kernels of n ns on the ideal accelerator (100 TFLOP/s), messages of n
/// bytes on links of 1 GB/s take n ns.
class GraphMaker {
 public:
  explicit GraphMaker(const Layout& layout) { graph_.grid = RankGrid(layout); }

  /// Ops go to this program from now on; every rank needs one, in rank order.
  ProgramId program(int pipeline_rank = 0) {
    close();
    current_ = Program{};
    current_.pipeline_rank = pipeline_rank;
    open_ = true;
    return ProgramId(graph_.programs.size());
  }
  std::uint32_t compute(std::int64_t ns, Deps deps = {}) {
    Kernel kernel{Gemm{1, 1, ns * 50'000, 1, Dtype::bf16, false}, "kernel", 1, Flops(static_cast<double>(ns) * 1e5)};
    return add({OpKind::compute, Stream::compute, PassKind::forward, 0, graph_.kernels.push_back(kernel).index(), 0, 0},
               deps);
  }
  std::uint32_t collective(CommKind kind, GroupKind group, Axis axis, Stream stream, std::int64_t bytes,
                           Deps deps = {}) {
    return add({OpKind::collective, stream, PassKind::forward, 0,
                comm({kind, axis, group, bytes, -1, 0, false, 0, "c", 1}), 0, 0},
               deps);
  }
  std::uint32_t hop(std::int64_t bytes, Deps deps = {}, bool eager = false) {
    return add({OpKind::ring_hop, Stream::cp, PassKind::forward, 0,
                comm({CommKind::ring_hop, Axis::cp, GroupKind::cp, bytes, -1, 0, eager, 0, "h", 1}), 0, 0},
               deps);
  }
  std::uint32_t send(std::int16_t to, std::int64_t bytes, Deps deps = {}, Stream stream = Stream::send_down) {
    return add({OpKind::send, stream, PassKind::forward, 0,
                comm({CommKind::send, Axis::pp, GroupKind::tp, bytes, to, 0, false, 0, "s", 1}), 0, 0},
               deps);
  }
  std::uint32_t recv(std::int16_t from, std::int64_t bytes, Deps deps = {}, Stream stream = Stream::recv_down) {
    return add({OpKind::recv, stream, PassKind::forward, 0,
                comm({CommKind::recv, Axis::pp, GroupKind::tp, bytes, from, 0, false, 0, "r", 1}), 0, 0},
               deps);
  }
  StepGraph finish(std::vector<ProgramId> program_of_rank) {
    close();
    graph_.program_of_rank = std::move(program_of_rank);
    return std::move(graph_);
  }

 private:
  std::uint32_t comm(Comm c) { return graph_.comms.push_back(std::move(c)).index(); }
  std::uint32_t add(Op op, Deps deps) {
    current_.ops.push_back(op);
    for (const std::uint32_t dep : deps) current_.deps.add_item(dep);
    current_.deps.end_row();
    return static_cast<std::uint32_t>(current_.ops.size() - 1);
  }
  void close() {
    if (open_) graph_.programs.push_back(std::move(current_));
    open_ = false;
  }

  StepGraph graph_;
  Program current_;
  bool open_ = false;
};

/// Devices on one switch: `gbps` GB/s and `latency_ns` between any two.
inline std::unique_ptr<Fabric> one_switch(int devices, double gbps = 1, double latency_ns = 0) {
  ClusterSpec spec;
  spec.levels.push_back({});
  spec.levels[0].name = "wire";
  spec.levels[0].size = devices;
  spec.levels[0].bandwidth = BytesPerSecond(gbps * 1e9);
  spec.levels[0].latency = Seconds(latency_ns * 1e-9);
  Diagnostics diagnostics;
  return build_fabric(spec, diagnostics);
}

inline Accelerator ideal_accelerator() {
  Accelerator a;
  a.name = "ideal";
  a.ideal = true;
  for (const Dtype d : {Dtype::bf16, Dtype::fp16, Dtype::fp8, Dtype::fp32}) a.peak[d] = FlopsPerSecond(1e14);
  a.memory_capacity = Bytes(1e18);
  a.memory_bandwidth = BytesPerSecond(1e30);
  return a;
}

/// A run with everything that it needs to live.
struct Bench {
  explicit Bench(std::unique_ptr<Fabric> cluster) : fabric(std::move(cluster)) {}

  std::unique_ptr<Fabric> fabric;
  Accelerator accelerator = ideal_accelerator();
  Stack stack;
  SimulationOptions options;
  Perturbation perturbation;

  [[nodiscard]] Timeline run(const StepGraph& graph) const {
    return simulate(graph, {*fabric, accelerator, stack}, options, perturbation);
  }
  [[nodiscard]] StepReport report(const StepGraph& graph) const {
    return account(graph, {*fabric, accelerator, stack}, run(graph));
  }
};

constexpr SimTime ns(std::int64_t n) { return SimTime(n * 1000); }

}  // namespace stepsim::testing
