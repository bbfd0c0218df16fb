#include "workloads/model.h"

#include "workloads/parameters.h"

namespace stepsim {

namespace {

std::int64_t wide(int value) { return value; }

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
  count.attention_layer = attention_parameters(model, 1);
  count.dense_ffn_layer = ffn_parameters(model, model.ffn, 1) + norm_parameters(model);
  if (model.has_moe()) {
    count.moe_shared_layer = moe_shared_parameters(model, 1);
    count.expert = ffn_parameters(model, model.moe.ffn, 1);
  }
  add_totals(model, count);
  return count;
}

}  // namespace stepsim
