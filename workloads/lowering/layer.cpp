#include "workloads/lowering/layer.h"

#include "workloads/lowering/attention.h"
#include "workloads/lowering/expert_parallel.h"
#include "workloads/lowering/feed_forward.h"

namespace stepsim {

namespace {

/// Ops in between belong to the recompute pass.
template <class Emit>
void as_recompute(const PassContext& ctx, Emit emit) {
  PassLabel label = ctx.emit.label();
  const PassKind before = label.pass;
  label.pass = PassKind::recompute;
  ctx.emit.label(label);
  emit();
  label.pass = before;
  ctx.emit.label(label);
}

}  // namespace

void layer_forward(const PassContext& ctx, int layer) {
  ctx.emit.layer(layer);
  attention_forward(ctx);
  if (ctx.model().is_moe_layer(layer)) {
    moe_forward(ctx);
  } else {
    feed_forward(ctx);
  }
  ctx.emit.no_layer();
}

void layer_backward(const PassContext& ctx, int layer, Recompute recompute) {
  if (recompute == Recompute::full) as_recompute(ctx, [&] { layer_forward(ctx, layer); });
  ctx.emit.layer(layer);
  if (ctx.model().is_moe_layer(layer)) {
    moe_backward(ctx);
  } else {
    feed_forward_backward(ctx);
  }
  if (recompute == Recompute::selective) as_recompute(ctx, [&] { attention_recompute_core(ctx); });
  attention_backward(ctx);
  ctx.emit.no_layer();
}

}  // namespace stepsim
