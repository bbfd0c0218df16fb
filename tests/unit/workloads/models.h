#pragma once
// Shapes that the tests of workloads/ share, each from its published config.json or paper.

#include "workloads/model.h"

namespace stepsim::test {

inline ModelSpec llama(int layers, int hidden, int ffn, int heads) {
  ModelSpec m;
  m.layers = layers, m.hidden = hidden, m.ffn = ffn, m.heads = heads;
  m.kv_heads = 8, m.head_dim = 128, m.vocab = 128256;
  return m;
}

/// The Llama 3 Herd of Models (arXiv 2407.21783), Table 3.
inline ModelSpec llama_8b() { return llama(32, 4096, 14336, 32); }
inline ModelSpec llama_70b() { return llama(80, 8192, 28672, 64); }
inline ModelSpec llama_405b() { return llama(126, 16384, 53248, 128); }

/// mistralai/Mixtral-8x7B-v0.1, config.json.
inline ModelSpec mixtral() {
  ModelSpec m = llama(32, 4096, 14336, 32);
  m.vocab = 32000;
  m.moe = MoeSpec{.experts = 8, .top_k = 2, .ffn = 14336};
  return m;
}

/// Qwen/Qwen3-30B-A3B, config.json.
inline ModelSpec qwen3_30b() {
  ModelSpec m = llama(48, 2048, 6144, 32);
  m.kv_heads = 4, m.vocab = 151936, m.qk_norm = true;
  m.moe = MoeSpec{.experts = 128, .top_k = 8, .ffn = 768};
  return m;
}

/// Qwen/Qwen3-235B-A22B, config.json.
inline ModelSpec qwen3_235b() {
  ModelSpec m = qwen3_30b();
  m.layers = 94, m.hidden = 4096, m.ffn = 12288, m.heads = 64;
  m.moe.ffn = 1536;
  return m;
}

/// deepseek-ai/DeepSeek-V3, config.json.
inline ModelSpec deepseek_v3() {
  ModelSpec m = llama(61, 7168, 18432, 128);
  m.kv_heads = 128, m.vocab = 129280;
  m.mla = MlaSpec{.q_rank = 1536, .kv_rank = 512, .rope_dim = 64, .nope_dim = 128, .value_dim = 128};
  m.moe = MoeSpec{.experts = 256, .top_k = 8, .ffn = 2048, .shared_experts = 1, .dense_layers = 3, .router_bias = true};
  return m;
}

/// GPT-3 as Megatron trains it: arXiv 2005.14165 Table 2.1, vocabulary padded to 51200.
inline ModelSpec gpt3_175b() {
  ModelSpec m;
  m.layers = 96, m.hidden = 12288, m.ffn = 4 * 12288, m.heads = 96, m.kv_heads = 96, m.head_dim = 128;
  m.vocab = 51200, m.max_positions = 2048;
  m.mlp = MlpKind::plain, m.positions = PositionKind::learned;
  m.tied_embeddings = m.attention_bias = m.mlp_bias = m.layer_norm_bias = true;
  return m;
}

}  // namespace stepsim::test
