#pragma once
// What the tests of lowering read from a StepGraph, and the textbook model whose formulas are known.

#include <string>
#include <vector>

#include "workloads/lower.h"

namespace stepsim::test {

/// Multi-head attention, plain FFN of 4 D, no positions: the transformer of Narayanan 2021 and Korthikanti 2022.
inline ModelSpec textbook(int layers, int hidden, int heads, int vocab = 0) {
  ModelSpec m;
  m.name = "textbook";
  m.layers = layers, m.hidden = hidden, m.ffn = 4 * hidden;
  m.heads = m.kv_heads = heads, m.head_dim = hidden / heads, m.vocab = vocab;
  m.mlp = MlpKind::plain, m.positions = PositionKind::none;
  return m;
}

/// `microbatches` sequences of `seq_len` on each replica, no optimizer.
inline StepSpec training_spec(const ModelSpec& model, const Layout& layout, int microbatches, int seq_len = 512) {
  StepSpec spec;
  spec.model = model, spec.layout = layout;
  spec.workload.seq_len = seq_len, spec.workload.global_batch = microbatches * layout.dp;
  spec.workload.schedule = layout.virtual_stages > 1 ? "interleaved_1f1b" : "1f1b";
  spec.workload.optimizer = Optimizer::none;
  spec.memory_capacity = Bytes(1e18);
  return spec;
}

inline StepSpec inference_spec(const ModelSpec& model, const Layout& layout, WorkloadKind kind, int batch, int length) {
  StepSpec spec;
  spec.model = model, spec.layout = layout;
  spec.workload.kind = kind, spec.workload.batch = batch;
  (kind == WorkloadKind::decode ? spec.workload.context_len : spec.workload.seq_len) = length;
  spec.memory_capacity = Bytes(1e18);
  return spec;
}

inline const Program& program_of(const StepGraph& graph, std::size_t rank) {
  return graph.programs[graph.program_of_rank[rank]];
}

inline const Kernel* kernel_of(const StepGraph& graph, const Op& op) {
  return op.kind == OpKind::compute ? &graph.kernels[KernelId(op.what)] : nullptr;
}
inline const Comm* comm_of(const StepGraph& graph, const Op& op) {
  return op.kind == OpKind::compute ? nullptr : &graph.comms[CommId(op.what)];
}

/// Flops of all kernels of all ranks.
inline double total_flops(const StepGraph& graph) {
  double sum = 0;
  for (std::size_t rank = 0; rank < graph.program_of_rank.size(); ++rank) {
    for (const Op& op : program_of(graph, rank).ops) {
      if (const Kernel* kernel = kernel_of(graph, op)) sum += kernel->flops.value();
    }
  }
  return sum;
}

/// The ops of a program that `wanted(op, comm)` picks.
template <class Wanted>
std::vector<Comm> comms_where(const StepGraph& graph, const Program& program, Wanted wanted) {
  std::vector<Comm> found;
  for (const Op& op : program.ops) {
    const Comm* comm = comm_of(graph, op);
    if (comm != nullptr && wanted(op, *comm)) found.push_back(*comm);
  }
  return found;
}

inline std::vector<Comm> comms_of(const StepGraph& graph, std::size_t rank, Axis axis, CommKind kind) {
  return comms_where(graph, program_of(graph, rank),
                     [&](const Op&, const Comm& comm) { return comm.axis == axis && comm.kind == kind; });
}

inline double bytes_of(const std::vector<Comm>& comms) {
  double sum = 0;
  for (const Comm& comm : comms) sum += static_cast<double>(comm.bytes);
  return sum;
}

/// Kernels of a rank's program with this name, in order.
inline std::vector<Kernel> kernels_named(const StepGraph& graph, std::size_t rank, const std::string& name) {
  std::vector<Kernel> found;
  for (const Op& op : program_of(graph, rank).ops) {
    const Kernel* kernel = kernel_of(graph, op);
    if (kernel != nullptr && kernel->name == name) found.push_back(*kernel);
  }
  return found;
}

}  // namespace stepsim::test
