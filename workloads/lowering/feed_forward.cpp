#include "workloads/lowering/feed_forward.h"

#include "workloads/lowering/tensor_parallel.h"

namespace stepsim {

namespace {

Linear up_linear(const PassContext& ctx, const char* name, std::int64_t width) {
  return {name, up_matrices(ctx.model()) * width, ctx.dims.hidden, ctx.spec.workload.precision.ffn};
}

Linear down_linear(const PassContext& ctx, const char* name, std::int64_t width) {
  return {name, ctx.dims.hidden, width, ctx.spec.workload.precision.ffn};
}

}  // namespace

std::int64_t up_matrices(const ModelSpec& model) { return model.mlp == MlpKind::gated ? 2 : 1; }

double activation_bytes(const PassContext& ctx, std::int64_t rows, std::int64_t width) {
  return static_cast<double>((up_matrices(ctx.model()) + 1) * rows * width) * ctx.dims.element;
}

double activation_backward_bytes(const PassContext& ctx, std::int64_t rows, std::int64_t width) {
  return static_cast<double>((2 * up_matrices(ctx.model()) + 1) * rows * width) * ctx.dims.element;
}

void mlp_forward(const PassContext& ctx, const char* up, const char* down, std::int64_t width) {
  linear_forward(ctx, up_linear(ctx, up, width), ctx.dims.tokens);
  ctx.emit.compute(memory_kernel("activation", activation_bytes(ctx, ctx.dims.tokens, width)));
  linear_forward(ctx, down_linear(ctx, down, width), ctx.dims.tokens);
}

void mlp_backward(const PassContext& ctx, const char* up, const char* down, std::int64_t width) {
  row_parallel_backward(ctx, down_linear(ctx, down, width));
  ctx.emit.compute(memory_kernel("activation_bwd", activation_backward_bytes(ctx, ctx.dims.tokens, width)));
  column_parallel_backward(ctx, up_linear(ctx, up, width));
}

void feed_forward(const PassContext& ctx) {
  norm_forward(ctx, "norm_ffn");
  tp_gather(ctx);
  mlp_forward(ctx, "ffn_up", "ffn_down", ctx.dims.ffn);
  tp_reduce(ctx);
}

void feed_forward_backward(const PassContext& ctx) {
  mlp_backward(ctx, "ffn_up", "ffn_down", ctx.dims.ffn);
  norm_backward(ctx, "norm_ffn");
}

}  // namespace stepsim
