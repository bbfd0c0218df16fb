#include "workloads/model.h"

namespace stepsim {

namespace {

std::int64_t wide(int value) { return value; }

std::int64_t norm_parameters(const ModelSpec& model) { return wide(model.hidden) * (model.layer_norm_bias ? 2 : 1); }

/// Low-rank query and key-value projections, each with an RMS norm of its latent (DeepSeek-V3, arXiv 2412.19437,
/// section 2.1.1).
std::int64_t mla_parameters(const ModelSpec& model) {
  const MlaSpec& mla = model.mla;
  const std::int64_t hidden = model.hidden, heads = model.heads;
  const std::int64_t q_width = heads * (mla.nope_dim + mla.rope_dim);
  const std::int64_t query = mla.q_rank > 0 ? (hidden + 1 + q_width) * mla.q_rank : hidden * q_width;
  const std::int64_t down = hidden * (mla.kv_rank + mla.rope_dim) + mla.kv_rank;
  const std::int64_t up = mla.kv_rank * heads * (mla.nope_dim + mla.value_dim);
  return query + down + up + heads * mla.value_dim * hidden;
}

std::int64_t gqa_parameters(const ModelSpec& model) {
  const std::int64_t hidden = model.hidden, head_dim = model.head_dim;
  const std::int64_t q_width = model.heads * head_dim, kv_width = model.kv_heads * head_dim;
  std::int64_t count = hidden * (2 * q_width + 2 * kv_width);
  if (model.attention_bias || model.qkv_bias) count += q_width + 2 * kv_width;
  if (model.attention_bias) count += hidden;
  if (model.qk_norm) count += 2 * head_dim;
  return count;
}

std::int64_t ffn_parameters(const ModelSpec& model, std::int64_t width) {
  const std::int64_t inputs = model.mlp == MlpKind::gated ? 2 : 1;
  const std::int64_t bias = model.mlp_bias ? inputs * width + model.hidden : 0;
  return (inputs + 1) * width * model.hidden + bias;
}

std::int64_t moe_shared_parameters(const ModelSpec& model) {
  const MoeSpec& moe = model.moe;
  const std::int64_t router = wide(moe.experts) * model.hidden + (moe.router_bias ? moe.experts : 0);
  return router + moe.shared_experts * ffn_parameters(model, moe.ffn) + norm_parameters(model);
}

int moe_layers(const ModelSpec& model) {
  int count = 0;
  for (int layer = 0; layer < model.layers; ++layer) count += model.is_moe_layer(layer) ? 1 : 0;
  return count;
}

void add_totals(const ModelSpec& model, ParameterCount& count) {
  const std::int64_t moe = moe_layers(model), dense = model.layers - moe;
  const std::int64_t outside = count.embedding + count.head + count.final_norm;
  const std::int64_t shared =
      outside + model.layers * count.attention_layer + dense * count.dense_ffn_layer + moe * count.moe_shared_layer;
  count.total = shared + moe * model.moe.experts * count.expert;
  count.active = shared + moe * model.moe.top_k * count.expert;
}

}  // namespace

bool ModelSpec::is_moe_layer(int layer) const {
  if (!has_moe() || layer < moe.dense_layers) return false;
  return (layer - moe.dense_layers) % moe.every == moe.every - 1;
}

ParameterCount count_parameters(const ModelSpec& model) {
  ParameterCount count;
  if (model.vocab > 0) {
    const int positions = model.positions == PositionKind::learned ? model.max_positions : 0;
    count.embedding = (wide(model.vocab) + positions) * model.hidden;
    count.head = model.tied_embeddings ? 0 : wide(model.vocab) * model.hidden;
    count.final_norm = norm_parameters(model);
  }
  count.attention_layer = (model.has_mla() ? mla_parameters(model) : gqa_parameters(model)) + norm_parameters(model);
  count.dense_ffn_layer = ffn_parameters(model, model.ffn) + norm_parameters(model);
  if (model.has_moe()) {
    count.moe_shared_layer = moe_shared_parameters(model);
    count.expert = ffn_parameters(model, model.moe.ffn);
  }
  add_totals(model, count);
  return count;
}

}  // namespace stepsim
