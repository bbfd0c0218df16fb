#include "workloads/lowering/expert_parallel.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "workloads/lowering/feed_forward.h"
#include "workloads/lowering/tensor_parallel.h"

namespace stepsim {

namespace {

const MoeSpec& moe(const PassContext& ctx) { return ctx.model().moe; }

std::int64_t routed_rows(const PassContext& ctx) { return ctx.dims.expert_tokens * moe(ctx).top_k; }

double rows_bytes(const PassContext& ctx, std::int64_t rows, Dtype dtype) {
  return static_cast<double>(rows * ctx.dims.hidden) * bytes_per_element(dtype).value();
}

/// Sends this rank's tokens to their experts, or the results back.
Comm exchange(const PassContext& ctx, const char* name, Dtype dtype) {
  const int ep = ctx.dims.ep;
  Comm comm;
  comm.kind = CommKind::all_to_all;
  comm.axis = Axis::ep;
  comm.group = GroupKind::ep;
  comm.bytes = std::llround(rows_bytes(ctx, routed_rows(ctx), dtype) * (ep - 1) / ep);
  comm.nodes_per_token = ctx.spec.workload.routing.nodes_per_token;
  comm.copies = moe(ctx).top_k;
  comm.name = name;
  return comm;
}

void emit_exchange(const PassContext& ctx, const char* name, Dtype dtype) {
  if (ctx.dims.ep == 1) return;
  ctx.emit.comm(exchange(ctx, name, dtype));
  ctx.emit.end_segment();
}

/// Experts of this rank and the rows that each gets: the mean, times what this rank's experts are busier than it.
struct Share {
  std::int64_t experts = 1;
  std::int64_t rows = 1;   ///< of one expert
  std::int64_t width = 0;  ///< columns of an expert on this rank
};

/// Experts of a rank that at least one of `tokens` tokens goes to: E (1 - (1 - k/E)^tokens) of E evenly drawn ones
/// (physics.md). A small decode batch reads the weights of those only.
double experts_hit(const PassContext& ctx, double experts_of_rank, double tokens) {
  return experts_of_rank * (1 - std::pow(1 - static_cast<double>(moe(ctx).top_k) / moe(ctx).experts, tokens));
}

Share share_of_rank(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  const int copies = moe(ctx).experts + ctx.spec.workload.redundant_experts;
  const double experts = std::max(1.0, static_cast<double>(copies) / d.ep);
  // Of the ranks that share a set of experts, each brings 1/tp of its group's tokens: a fraction where those are few.
  const double tokens = static_cast<double>(d.tokens) / d.tp * d.etp;
  const double rows = tokens * moe(ctx).top_k * ctx.who.expert_load;
  const double hit = experts_hit(ctx, experts, tokens * d.ep);
  Share share;
  share.experts = std::max<std::int64_t>(1, std::llround(hit));
  share.rows = std::max<std::int64_t>(1, std::llround(rows / static_cast<double>(share.experts)));
  share.width = moe(ctx).ffn / d.etp;
  return share;
}

/// Ranks that share an expert's matrices gather each other's rows before and scatter the sums after.
void etp_comm(const PassContext& ctx, CommKind kind, const char* name) {
  if (ctx.dims.etp == 1) return;
  Comm comm;
  comm.kind = kind;
  comm.axis = Axis::ep;
  comm.group = GroupKind::etp;
  comm.bytes =
      static_cast<std::int64_t>(rows_bytes(ctx, routed_rows(ctx) * ctx.dims.etp, ctx.spec.workload.precision.combine));
  comm.name = name;
  ctx.emit.comm(comm);
}

Kernel grouped(const PassContext& ctx, const char* name, const GemmShape& shape, bool weight_gradient = false) {
  return gemm_kernel(name, shape, ctx.spec.workload.precision.ffn, weight_gradient && ctx.accumulates_fp32());
}

void experts_forward(const PassContext& ctx) {
  const Share s = share_of_rank(ctx);
  const std::int64_t up = up_matrices(ctx.model()) * s.width;
  etp_comm(ctx, CommKind::all_gather, "expert_gather");
  ctx.emit.compute(grouped(ctx, "expert_up", {s.rows, up, ctx.dims.hidden, s.experts}));
  ctx.emit.compute(memory_kernel("expert_activation", activation_bytes(ctx, s.rows * s.experts, s.width)));
  ctx.emit.compute(grouped(ctx, "expert_down", {s.rows, ctx.dims.hidden, s.width, s.experts}));
  etp_comm(ctx, CommKind::reduce_scatter, "expert_scatter");
}

void experts_backward(const PassContext& ctx) {
  const Share s = share_of_rank(ctx);
  const std::int64_t up = up_matrices(ctx.model()) * s.width;
  etp_comm(ctx, CommKind::all_gather, "expert_gather_bwd");
  ctx.emit.compute(grouped(ctx, "expert_down_dgrad", {s.rows, s.width, ctx.dims.hidden, s.experts}));
  ctx.emit.compute(grouped(ctx, "expert_down_wgrad", {ctx.dims.hidden, s.width, s.rows, s.experts}, true));
  ctx.emit.compute(memory_kernel("expert_activation_bwd", activation_backward_bytes(ctx, s.rows * s.experts, s.width)));
  ctx.emit.compute(grouped(ctx, "expert_up_dgrad", {s.rows, ctx.dims.hidden, up, s.experts}));
  ctx.emit.compute(grouped(ctx, "expert_up_wgrad", {up, ctx.dims.hidden, s.rows, s.experts}, true));
  etp_comm(ctx, CommKind::reduce_scatter, "expert_scatter_bwd");
}

/// Copies each row to a place by expert, or sums the copies of a token.
void permute(const PassContext& ctx, const char* name) {
  const Dtype dtype = ctx.spec.workload.precision.combine;
  ctx.emit.compute(memory_kernel(name, 2 * rows_bytes(ctx, routed_rows(ctx), dtype)));
}

/// Softmax or sigmoid over the experts and top-k, in fp32.
void route(const PassContext& ctx, const char* name) {
  ctx.emit.compute(memory_kernel(name, 2 * 4.0 * static_cast<double>(ctx.dims.expert_tokens * moe(ctx).experts), 2));
}

Linear router(const PassContext& ctx) { return {"router", moe(ctx).experts, ctx.dims.hidden, ctx.unquantised()}; }

std::int64_t shared_width(const PassContext& ctx) {
  return static_cast<std::int64_t>(moe(ctx).shared_experts) * moe(ctx).ffn / ctx.dims.tp;
}

/// Shared experts are a dense FFN over all tokens of the TP group.
void shared_forward(const PassContext& ctx) {
  if (moe(ctx).shared_experts == 0) return;
  tp_gather(ctx);
  mlp_forward(ctx, "shared_up", "shared_down", shared_width(ctx));
  tp_reduce(ctx);
}

/// Each TP rank routed 1/tp of the tokens; without sequence parallelism all ranks need all results.
void rejoin(const PassContext& ctx) {
  if (!ctx.dims.sequence_parallel) tp_all_gather(ctx, ctx.dims.hidden_bytes);
}

/// The shared experts run beside the dispatch where EP may overlap, else before it: the kernel order is the same.
void dispatch_and_shared(const PassContext& ctx, const char* name, Dtype dtype) {
  if (ctx.dims.ep == 1) {
    shared_forward(ctx);
    return;
  }
  const Handle sent = ctx.emit.comm_async(exchange(ctx, name, dtype));
  shared_forward(ctx);
  ctx.emit.wait(sent);
  ctx.emit.end_segment();
}

}  // namespace

void moe_forward(const PassContext& ctx) {
  norm_forward(ctx, "norm_ffn");
  linear_forward(ctx, router(ctx), ctx.dims.expert_tokens);
  route(ctx, "top_k");
  permute(ctx, "permute");
  dispatch_and_shared(ctx, "dispatch", ctx.spec.workload.precision.dispatch);
  experts_forward(ctx);
  emit_exchange(ctx, "combine", ctx.spec.workload.precision.combine);
  permute(ctx, "unpermute");
  rejoin(ctx);
}

void moe_backward(const PassContext& ctx) {
  permute(ctx, "unpermute_bwd");
  emit_exchange(ctx, "combine_bwd", ctx.spec.workload.precision.combine);
  if (moe(ctx).shared_experts > 0) mlp_backward(ctx, "shared_up", "shared_down", shared_width(ctx));
  experts_backward(ctx);
  emit_exchange(ctx, "dispatch_bwd", ctx.spec.workload.precision.combine);
  permute(ctx, "permute_bwd");
  route(ctx, "top_k_bwd");
  linear_input_gradient(ctx, router(ctx), ctx.dims.expert_tokens);
  linear_weight_gradient(ctx, router(ctx), ctx.dims.expert_tokens);
  if (!ctx.dims.sequence_parallel && ctx.dims.tp > 1) tp_all_reduce(ctx, ctx.dims.hidden_bytes);
  norm_backward(ctx, "norm_ffn");
}

}  // namespace stepsim
