#pragma once
// The shape of a decoder-only transformer.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace stepsim {

enum class MlpKind { plain, gated };  ///< two matrices with an activation, or three (SwiGLU)
enum class PositionKind { none, learned, rotary };

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434 section 2.1). Off when kv_rank is 0.
struct MlaSpec {
  int q_rank = 0;  ///< 0: queries are projected directly
  int kv_rank = 0;
  int rope_dim = 0, nope_dim = 0, value_dim = 0;
};

/// Mixture of experts. Off when experts is 0.
struct MoeSpec {
  int experts = 0, top_k = 0;
  int ffn = 0;             ///< width of one expert
  int shared_experts = 0;  ///< each of width `ffn`
  int dense_layers = 0;    ///< leading layers with a dense FFN
  int every =
      1;  ///< a MoE layer each `every` layers after those (Qwen's decoder_sparse_step, DeepSeek's moe_layer_freq)
  bool router_bias = false;  ///< one correction bias for each expert (DeepSeek-V3)
};

struct ModelSpec {
  std::string name;
  int layers = 0, hidden = 0, ffn = 0;
  int heads = 0, kv_heads = 0, head_dim = 0;  ///< head_dim: hidden / heads unless given
  int vocab = 0;                              ///< 0: no embedding, no loss
  MlpKind mlp = MlpKind::gated;
  PositionKind positions = PositionKind::rotary;
  int max_positions = 0;  ///< learned positions
  bool tied_embeddings = false;
  bool attention_bias = false, mlp_bias = false;
  bool qkv_bias = false;         ///< on q, k and v only (Qwen 2)
  bool qk_norm = false;          ///< RMS norm of each head's q and k (Qwen 3)
  bool layer_norm_bias = false;  ///< LayerNorm (weight and bias) instead of RMSNorm
  MlaSpec mla;
  MoeSpec moe;

  [[nodiscard]] bool has_mla() const { return mla.kv_rank > 0; }
  [[nodiscard]] bool has_moe() const { return moe.experts > 0; }
  [[nodiscard]] bool is_moe_layer(int layer) const;
};

/// Parameter counts, by part. "Active" counts top_k + shared experts of each MoE layer.
struct ParameterCount {
  std::int64_t embedding = 0;         ///< input embedding and learned positions
  std::int64_t head = 0;              ///< output projection; 0 when tied
  std::int64_t attention_layer = 0;   ///< one layer: attention with its norms
  std::int64_t dense_ffn_layer = 0;   ///< one dense layer's FFN with its norm
  std::int64_t moe_shared_layer = 0;  ///< one MoE layer: router, shared experts, norm
  std::int64_t expert = 0;            ///< one routed expert
  std::int64_t final_norm = 0;
  std::int64_t total = 0, active = 0;
};
ParameterCount count_parameters(const ModelSpec& model);

}  // namespace stepsim
