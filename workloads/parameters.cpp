#include "workloads/parameters.h"

namespace stepsim {

namespace {

/// Low-rank query and key-value projections, each with an RMS norm of its latent (DeepSeek-V3, arXiv 2412.19437,
/// section 2.1.1). The projections down are replicated, those up are split by heads.
std::int64_t mla_parameters(const ModelSpec& model, int tp) {
  const MlaSpec& mla = model.mla;
  const std::int64_t hidden = model.hidden, heads = model.heads / tp;
  const std::int64_t q_width = heads * (mla.nope_dim + mla.rope_dim);
  const std::int64_t query = mla.q_rank > 0 ? (hidden + 1 + q_width) * mla.q_rank : hidden * q_width;
  const std::int64_t down = hidden * (mla.kv_rank + mla.rope_dim) + mla.kv_rank;
  const std::int64_t up = mla.kv_rank * heads * (mla.nope_dim + mla.value_dim);
  return query + down + up + heads * mla.value_dim * hidden;
}

std::int64_t gqa_parameters(const ModelSpec& model, int tp) {
  const std::int64_t hidden = model.hidden, head_dim = model.head_dim;
  const std::int64_t q_width = model.heads / tp * head_dim, kv_width = kv_heads_of_rank(model, tp) * head_dim;
  std::int64_t count = hidden * (2 * q_width + 2 * kv_width);
  if (model.attention_bias || model.qkv_bias) count += q_width + 2 * kv_width;
  if (model.attention_bias) count += hidden;
  if (model.qk_norm) count += 2 * head_dim;
  return count;
}

}  // namespace

int kv_heads_of_rank(const ModelSpec& model, int tp) { return (model.kv_heads + tp - 1) / tp; }

std::int64_t norm_parameters(const ModelSpec& model) {
  return std::int64_t{model.hidden} * (model.layer_norm_bias ? 2 : 1);
}

std::int64_t attention_parameters(const ModelSpec& model, int tp) {
  return (model.has_mla() ? mla_parameters(model, tp) : gqa_parameters(model, tp)) + norm_parameters(model);
}

std::int64_t ffn_parameters(const ModelSpec& model, std::int64_t width, int tp) {
  const std::int64_t inputs = model.mlp == MlpKind::gated ? 2 : 1, local = width / tp;
  const std::int64_t bias = model.mlp_bias ? inputs * local + model.hidden : 0;
  return (inputs + 1) * local * model.hidden + bias;
}

std::int64_t moe_shared_parameters(const ModelSpec& model, int tp) {
  const MoeSpec& moe = model.moe;
  const std::int64_t router = std::int64_t{moe.experts} * model.hidden + (moe.router_bias ? moe.experts : 0);
  return router + moe.shared_experts * ffn_parameters(model, moe.ffn, tp) + norm_parameters(model);
}

}  // namespace stepsim
