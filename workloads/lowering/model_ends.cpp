#include "workloads/lowering/model_ends.h"

#include "workloads/lowering/tensor_parallel.h"

namespace stepsim {

namespace {

std::int64_t vocab_of_rank(const PassContext& ctx) { return ctx.model().vocab / ctx.dims.tp; }

Linear head(const PassContext& ctx) { return {"logits", vocab_of_rank(ctx), ctx.dims.hidden, ctx.unquantised()}; }

double logits_of_rank(const PassContext& ctx) { return static_cast<double>(ctx.dims.tokens * vocab_of_rank(ctx)); }

double rows_bytes(const PassContext& ctx) {
  return static_cast<double>(ctx.dims.tokens * ctx.dims.hidden) * ctx.dims.element;
}

}  // namespace

void embedding_forward(const PassContext& ctx) {
  if (ctx.model().vocab == 0) return;
  ctx.emit.compute(memory_kernel("embedding", 2 * rows_bytes(ctx)));
  tp_reduce(ctx);
}

void embedding_backward(const PassContext& ctx) {
  if (ctx.model().vocab == 0) return;
  tp_gather(ctx);
  const double gradient = bytes_per_element(ctx.gradient_dtype()).value() / ctx.dims.element;
  ctx.emit.compute(memory_kernel("embedding_bwd", (1 + 2 * gradient) * rows_bytes(ctx)));
}

// Cross-entropy in fp32 of 16-bit logits: reads 2, writes 4, reads 4 bytes an element; backward reads 4 and writes 2.
void loss_forward(const PassContext& ctx) {
  if (ctx.model().vocab == 0) return;
  norm_forward(ctx, "norm_final");
  tp_gather(ctx);
  linear_forward(ctx, head(ctx), ctx.dims.tokens);
  ctx.emit.compute(memory_kernel("cross_entropy", 10 * logits_of_rank(ctx), 3));
  for (int sum = 0; sum < 3; ++sum) tp_all_reduce(ctx, 4 * ctx.dims.tokens);
}

void loss_backward(const PassContext& ctx) {
  if (ctx.model().vocab == 0) return;
  ctx.emit.compute(memory_kernel("cross_entropy_bwd", 6 * logits_of_rank(ctx)));
  column_parallel_backward(ctx, head(ctx));
  norm_backward(ctx, "norm_final");
}

void logits_of_last_position(const PassContext& ctx) {
  if (ctx.model().vocab == 0) return;
  norm_forward(ctx, "norm_final");
  const Linear linear = head(ctx);
  ctx.emit.compute(gemm_kernel(linear.name, {ctx.dims.sequences, linear.n, linear.k}, linear.dtype));
  tp_all_gather(ctx, ctx.dims.sequences * ctx.model().vocab * 2);
}

}  // namespace stepsim
