#include "workloads/lowering/tensor_parallel.h"

#include <string>

namespace stepsim {

namespace {

Comm tp_comm(CommKind kind, std::int64_t bytes, const char* name) {
  Comm comm;
  comm.kind = kind;
  comm.axis = Axis::tp;
  comm.group = GroupKind::tp;
  comm.bytes = bytes;
  comm.name = name;
  return comm;
}

Comm gather_comm(const PassContext& ctx) { return tp_comm(CommKind::all_gather, ctx.dims.hidden_bytes, "tp_gather"); }

Comm reduce_comm(const PassContext& ctx) {
  const CommKind kind = ctx.dims.sequence_parallel ? CommKind::reduce_scatter : CommKind::all_reduce;
  return tp_comm(kind, ctx.dims.hidden_bytes, "tp_reduce");
}

double stream_bytes(const PassContext& ctx) {
  return static_cast<double>(ctx.dims.local_tokens * ctx.dims.hidden) * ctx.dims.element;
}

}  // namespace

void tp_gather(const PassContext& ctx) {
  if (ctx.dims.sequence_parallel) ctx.emit.comm(gather_comm(ctx));
}

void tp_reduce(const PassContext& ctx) {
  if (ctx.dims.tp > 1) ctx.emit.comm(reduce_comm(ctx));
}

void tp_all_gather(const PassContext& ctx, std::int64_t bytes) {
  if (ctx.dims.tp > 1) ctx.emit.comm(tp_comm(CommKind::all_gather, bytes, "tp_all_gather"));
}

void tp_all_reduce(const PassContext& ctx, std::int64_t bytes) {
  if (ctx.dims.tp > 1) ctx.emit.comm(tp_comm(CommKind::all_reduce, bytes, "tp_all_reduce"));
}

void linear_forward(const PassContext& ctx, const Linear& linear, std::int64_t rows) {
  ctx.emit.compute(gemm_kernel(linear.name, {rows, linear.n, linear.k}, linear.dtype));
}

void linear_input_gradient(const PassContext& ctx, const Linear& linear, std::int64_t rows) {
  ctx.emit.compute(gemm_kernel(std::string(linear.name) + "_dgrad", {rows, linear.k, linear.n}, linear.dtype));
}

void linear_weight_gradient(const PassContext& ctx, const Linear& linear, std::int64_t rows) {
  ctx.emit.compute(gemm_kernel(std::string(linear.name) + "_wgrad", {linear.n, linear.k, rows}, linear.dtype,
                               ctx.accumulates_fp32()));
}

void row_parallel_backward(const PassContext& ctx, const Linear& linear) {
  tp_gather(ctx);
  linear_input_gradient(ctx, linear, ctx.dims.tokens);
  linear_weight_gradient(ctx, linear, ctx.dims.tokens);
}

void column_parallel_backward(const PassContext& ctx, const Linear& linear) {
  const Handle input = ctx.dims.sequence_parallel ? ctx.emit.comm_async(gather_comm(ctx)) : kNoHandle;
  linear_input_gradient(ctx, linear, ctx.dims.tokens);
  const Handle reduced = ctx.dims.tp > 1 ? ctx.emit.comm_async(reduce_comm(ctx)) : kNoHandle;
  ctx.emit.wait(input);
  linear_weight_gradient(ctx, linear, ctx.dims.tokens);
  ctx.emit.wait(reduced);
}

void norm_forward(const PassContext& ctx, const char* name) {
  ctx.emit.compute(memory_kernel(name, 4 * stream_bytes(ctx)));
}

void norm_backward(const PassContext& ctx, const char* name) {
  ctx.emit.compute(memory_kernel(std::string(name) + "_bwd", 5 * stream_bytes(ctx)));
}

}  // namespace stepsim
