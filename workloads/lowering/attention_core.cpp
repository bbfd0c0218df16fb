#include "workloads/lowering/attention_core.h"

#include "workloads/lowering/attention.h"

namespace stepsim {

namespace {

Attention shaped(const PassContext& ctx, const Block& block, bool backward) {
  Attention shape = attention_shape(ctx);
  shape.q_len = block.q_len;
  shape.kv_len = block.kv_len;
  shape.causal = block.causal;
  shape.backward = backward;
  shape.area = shape.unfused ? static_cast<double>(block.q_len) * static_cast<double>(block.kv_len) : block.area;
  return shape;
}

double score_elements(const PassContext& ctx, const Block& block) {
  return static_cast<double>(ctx.dims.sequences * ctx.dims.q_heads) * static_cast<double>(block.q_len) *
         static_cast<double>(block.kv_len);
}

bool has_dropout(const PassContext& ctx) { return ctx.model().mlp == MlpKind::plain; }

}  // namespace

void block_forward(const PassContext& ctx, const Block& block) {
  const Attention shape = shaped(ctx, block, false);
  ctx.emit.compute(attention_kernel("attention", shape));
  if (!shape.unfused) return;
  const int passes = ctx.spec.stack.fused_softmax ? 1 : 3;
  const double scores = score_elements(ctx, block);
  ctx.emit.compute(memory_kernel("softmax", 2 * passes * ctx.dims.element * scores, passes));
  if (has_dropout(ctx)) ctx.emit.compute(memory_kernel("attention_dropout", (2 * ctx.dims.element + 1) * scores));
}

void block_backward(const PassContext& ctx, const Block& block) {
  const Attention shape = shaped(ctx, block, true);
  if (shape.unfused) {
    const int passes = ctx.spec.stack.fused_softmax ? 1 : 3;
    const double scores = score_elements(ctx, block);
    if (has_dropout(ctx)) ctx.emit.compute(memory_kernel("attention_dropout_bwd", (2 * ctx.dims.element + 1) * scores));
    ctx.emit.compute(memory_kernel("softmax_bwd", (2 * passes + 1) * ctx.dims.element * scores, passes));
  }
  ctx.emit.compute(attention_kernel("attention_bwd", shape));
}

}  // namespace stepsim
