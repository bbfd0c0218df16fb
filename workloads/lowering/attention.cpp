#include "workloads/lowering/attention.h"

#include "workloads/lowering/attention_core.h"
#include "workloads/lowering/context_parallel.h"
#include "workloads/lowering/tensor_parallel.h"

namespace stepsim {

namespace {

Dtype gemm_dtype(const PassContext& ctx) { return ctx.spec.workload.precision.gemm; }

Linear linear(const PassContext& ctx, const char* name, std::int64_t n, std::int64_t k) {
  return {name, n, k, gemm_dtype(ctx)};
}

Linear qkv_linear(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  return linear(ctx, "qkv", (d.q_heads + 2 * d.kv_heads) * d.head_dim, d.hidden);
}

Linear output_linear(const PassContext& ctx) {
  const std::int64_t value_dim = ctx.model().has_mla() ? ctx.model().mla.value_dim : ctx.dims.head_dim;
  return linear(ctx, "attention_out", ctx.dims.hidden, ctx.dims.q_heads * value_dim);
}

/// The linears of MLA (arXiv 2405.04434, section 2.1): down to the latent on every TP rank, up to this rank's heads.
struct MlaLinears {
  explicit MlaLinears(const PassContext& ctx)
      : q_down(linear(ctx, "q_down", mla(ctx).q_rank, ctx.dims.hidden)),
        q_up(linear(ctx, "q_up", ctx.dims.q_heads * (mla(ctx).nope_dim + mla(ctx).rope_dim),
                    mla(ctx).q_rank > 0 ? mla(ctx).q_rank : ctx.dims.hidden)),
        kv_down(linear(ctx, "kv_down", mla(ctx).kv_rank + mla(ctx).rope_dim, ctx.dims.hidden)),
        kv_up(linear(ctx, "kv_up", ctx.dims.q_heads * (mla(ctx).nope_dim + mla(ctx).value_dim), mla(ctx).kv_rank)) {}
  static const MlaSpec& mla(const PassContext& ctx) { return ctx.model().mla; }
  Linear q_down, q_up, kv_down, kv_up;
};

double bytes_of(const PassContext& ctx, std::int64_t columns) {
  return static_cast<double>(ctx.dims.tokens * columns) * ctx.dims.element;
}

void rotary(const PassContext& ctx, const char* name) {
  const ModelSpec& model = ctx.model();
  if (model.positions != PositionKind::rotary && !model.qk_norm) return;
  const std::int64_t columns = model.has_mla() ? ctx.dims.q_heads * model.mla.rope_dim + model.mla.rope_dim
                                               : (ctx.dims.q_heads + ctx.dims.kv_heads) * ctx.dims.head_dim;
  ctx.emit.compute(memory_kernel(name, 2 * bytes_of(ctx, columns)));
}

void gqa_projections(const PassContext& ctx) {
  linear_forward(ctx, qkv_linear(ctx), ctx.dims.tokens);
  rotary(ctx, "rotary");
}

bool absorbs_projections(const PassContext& ctx) { return ctx.spec.workload.kind == WorkloadKind::decode; }

/// Latents to widen: new tokens, and in prefill the cached ones, which are kept as latents.
std::int64_t latent_rows(const PassContext& ctx) { return ctx.dims.sequences * (ctx.dims.length + ctx.dims.cached); }

void mla_projections(const PassContext& ctx) {
  const MlaLinears l(ctx);
  const std::int64_t rows = ctx.dims.tokens;
  if (l.q_down.n > 0) {
    linear_forward(ctx, l.q_down, rows);
    ctx.emit.compute(memory_kernel("q_norm", 2 * bytes_of(ctx, l.q_down.n)));
  }
  linear_forward(ctx, l.q_up, rows);
  linear_forward(ctx, l.kv_down, rows);
  ctx.emit.compute(memory_kernel("kv_norm", 2 * bytes_of(ctx, l.kv_down.n)));
  if (!absorbs_projections(ctx)) linear_forward(ctx, l.kv_up, latent_rows(ctx));
  rotary(ctx, "rotary");
}

/// Decode multiplies queries and results with the up-projections of keys and values instead of widening the whole
/// cache (arXiv 2405.04434, section 2.1.2): one small product for each head.
void absorbed(const PassContext& ctx, const char* name, std::int64_t n, std::int64_t k) {
  ctx.emit.compute(gemm_kernel(name, {ctx.dims.tokens, n, k, ctx.dims.q_heads}, gemm_dtype(ctx)));
}

void mla_backward(const PassContext& ctx) {
  const MlaLinears l(ctx);
  rotary(ctx, "rotary_bwd");
  for (const Linear* one : {&l.kv_up, &l.kv_down, &l.q_up, &l.q_down}) {
    if (one->n == 0) continue;
    linear_input_gradient(ctx, *one, ctx.dims.tokens);
    linear_weight_gradient(ctx, *one, ctx.dims.tokens);
  }
  ctx.emit.compute(memory_kernel("latent_norms_bwd", 3 * bytes_of(ctx, l.q_down.n + l.kv_down.n), 2));
  tp_reduce(ctx);
}

}  // namespace

Attention attention_shape(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  const ModelSpec& model = ctx.model();
  Attention shape;
  shape.sequences = d.sequences;
  shape.q_heads = d.q_heads;
  shape.kv_heads = d.kv_heads;
  shape.qk_dim = shape.v_dim = static_cast<int>(d.head_dim);
  if (model.has_mla() && absorbs_projections(ctx)) {
    shape.kv_heads = 1;
    shape.qk_dim = model.mla.kv_rank + model.mla.rope_dim;
    shape.v_dim = model.mla.kv_rank;
  } else if (model.has_mla()) {
    shape.kv_heads = d.q_heads;
    shape.qk_dim = model.mla.nope_dim + model.mla.rope_dim;
    shape.v_dim = model.mla.value_dim;
  }
  shape.dtype = ctx.spec.workload.precision.attention;
  shape.kv_dtype = ctx.spec.workload.precision.kv_cache;
  shape.unfused = !ctx.spec.stack.flash_attention && d.training;
  return shape;
}

double kv_bytes_of_token(const PassContext& ctx) {
  const Dims& d = ctx.dims;
  const MlaSpec& mla = ctx.model().mla;
  const double element = d.training ? d.element : bytes_per_element(ctx.spec.workload.precision.kv_cache).value();
  if (!ctx.model().has_mla()) return 2.0 * static_cast<double>(d.kv_heads * d.head_dim) * element;
  const std::int64_t wide = d.q_heads * (mla.nope_dim + mla.rope_dim + mla.value_dim);
  return static_cast<double>(d.training ? wide : mla.kv_rank + mla.rope_dim) * element;
}

void widen_arrived(const PassContext& ctx) {
  if (ctx.model().has_mla() && !ctx.dims.training) linear_forward(ctx, MlaLinears(ctx).kv_up, latent_rows(ctx));
}

void attention_forward(const PassContext& ctx) {
  norm_forward(ctx, "norm_attention");
  tp_gather(ctx);
  const bool mla = ctx.model().has_mla();
  if (mla) {
    mla_projections(ctx);
  } else {
    gqa_projections(ctx);
  }
  const bool absorb = mla && absorbs_projections(ctx);
  if (absorb) absorbed(ctx, "q_absorb", ctx.model().mla.kv_rank, ctx.model().mla.nope_dim);
  attention_ring_forward(ctx);
  if (absorb) absorbed(ctx, "value_absorb", ctx.model().mla.value_dim, ctx.model().mla.kv_rank);
  linear_forward(ctx, output_linear(ctx), ctx.dims.tokens);
  tp_reduce(ctx);
}

void attention_recompute_core(const PassContext& ctx) {
  if (attention_shape(ctx).unfused) attention_ring_forward(ctx);
}

void attention_backward(const PassContext& ctx) {
  row_parallel_backward(ctx, output_linear(ctx));
  attention_ring_backward(ctx);
  if (ctx.model().has_mla()) {
    tp_gather(ctx);
    mla_backward(ctx);
  } else {
    rotary(ctx, "rotary_bwd");
    column_parallel_backward(ctx, qkv_linear(ctx));
  }
  norm_backward(ctx, "norm_attention");
}

}  // namespace stepsim
