#include "workloads/lowering/context_parallel.h"

#include <algorithm>
#include <cmath>

#include "workloads/lowering/attention.h"

namespace stepsim {

namespace {

bool lockstep(const PassContext& ctx) { return ctx.spec.context_parallel.hop_sync == HopSync::lockstep; }
bool decodes(const PassContext& ctx) { return ctx.spec.workload.kind == WorkloadKind::decode; }

/// Sends a ring's payload one rank on. Lockstep: posted when the step before has ended, kernel and hop. Eager: when the
/// hop before has brought the data; the stream's order sees to that.
Handle hop(const PassContext& ctx, const char* name, double bytes, bool needs_last_kernel) {
  Comm comm;
  comm.kind = CommKind::ring_hop;
  comm.axis = Axis::cp;
  comm.group = GroupKind::cp;
  comm.bytes = static_cast<std::int64_t>(std::ceil(bytes));
  comm.eager = !lockstep(ctx);
  comm.name = name;
  return needs_last_kernel ? ctx.emit.comm_async(comm) : ctx.emit.comm_after(comm, {});
}

double kv_hop_bytes(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  return static_cast<double>(d.sequences * (d.length + d.cached)) * kv_bytes_of_token(ctx);
}

/// Two partial results become one: reads both in fp32 and writes one, with the log-sum-exp of each row.
void merge(const PassContext& ctx) {
  const Attention shape = attention_shape(ctx);
  const double row = 3 * 4.0 * (shape.v_dim + 1);
  ctx.emit.compute(memory_kernel("attention_merge", static_cast<double>(ctx.dims.tokens * shape.q_heads) * row));
}

/// Each rank holds 1/n of the cache; the queries of the n ranks' share of the batch go round, and the results come
/// back in one all-to-all (arXiv 2411.01783, section 3.4: pass-Q).
void decode_ring(const PassContext& ctx) {
  const Attention shape = attention_shape(ctx);
  const double row = static_cast<double>(ctx.dims.sequences * shape.q_heads) * ctx.dims.element;
  Handle arrived = kNoHandle;
  for (int step = 0; step < ctx.dims.cp; ++step) {
    const Handle next = step + 1 < ctx.dims.cp ? hop(ctx, "q_hop", row * shape.qk_dim, true) : kNoHandle;
    ctx.emit.wait(arrived);
    Attention block = shape;
    block.kv_len = ctx.dims.cached;
    block.area = static_cast<double>(ctx.dims.cached);
    ctx.emit.compute(attention_kernel("attention", block));
    arrived = next;
  }
  Comm back;
  back.kind = CommKind::all_to_all;
  back.axis = Axis::cp;
  back.group = GroupKind::cp;
  back.bytes = static_cast<std::int64_t>(std::ceil((ctx.dims.cp - 1) * row * shape.v_dim));
  back.name = "partial_results";
  ctx.emit.comm(back);
  merge(ctx);
}

}  // namespace

std::vector<Block> ring_blocks(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  const auto own = static_cast<double>(d.length);
  const double square = own * own, cache = own * static_cast<double>(d.cached);
  std::vector<Block> blocks;
  for (int step = 0; step < d.cp; ++step) {
    Block block{d.length, d.length + d.cached, 0, step == 0};
    if (decodes(ctx)) {
      block = {1, d.cached, static_cast<double>(d.cached), false};
    } else if (d.cp == 1 || ctx.spec.context_parallel.causal_balance == CausalBalance::zigzag || step == 0) {
      block.area = square / 2 + cache;
    } else {
      block.area = (step <= ctx.who.cp_rank ? square : 0) + cache;
    }
    blocks.push_back(block);
  }
  return blocks;
}

void attention_ring_forward(const PassContext& ctx) {
  if (decodes(ctx) && ctx.dims.cp > 1) {
    decode_ring(ctx);
    return;
  }
  const std::vector<Block> blocks = ring_blocks(ctx);
  Handle arrived = kNoHandle;
  bool computed = false;
  for (std::size_t step = 0; step < blocks.size(); ++step) {
    const bool sends = step + 1 < blocks.size();
    // The first hop needs the projections, later ones (eager) only the hop before.
    const Handle next = sends ? hop(ctx, "kv_hop", kv_hop_bytes(ctx), lockstep(ctx) || step == 0) : kNoHandle;
    ctx.emit.wait(arrived);
    if (blocks[step].area > 0) {
      if (step > 0) widen_arrived(ctx);
      block_forward(ctx, blocks[step]);
      if (computed) merge(ctx);
      computed = true;
    }
    arrived = next;
  }
}

void attention_ring_backward(const PassContext& ctx) {
  const std::vector<Block> blocks = ring_blocks(ctx);
  Handle arrived = kNoHandle, gradients = kNoHandle;
  for (std::size_t step = 0; step < blocks.size(); ++step) {
    const bool sends = step + 1 < blocks.size();
    const Handle next = sends ? hop(ctx, "kv_hop_bwd", kv_hop_bytes(ctx), lockstep(ctx) || step == 0) : kNoHandle;
    ctx.emit.wait(arrived);
    if (blocks[step].area > 0) block_backward(ctx, blocks[step]);
    if (blocks.size() > 1) gradients = hop(ctx, "kv_gradient_hop", kv_hop_bytes(ctx), true);
    arrived = next;
  }
  ctx.emit.wait(gradients);
}

}  // namespace stepsim
