#pragma once
// Parameters of one part of the model on one rank of a tensor-parallel group: matrices are split, what TP replicates
// (norms, routers, latent projections, biases of outputs, KV heads beyond kv_heads) is counted in full.

#include <cstdint>

#include "workloads/model.h"

namespace stepsim {

std::int64_t norm_parameters(const ModelSpec& model);
/// Attention with the norm before it.
std::int64_t attention_parameters(const ModelSpec& model, int tp);
/// Two matrices, or three where gated; without a norm.
std::int64_t ffn_parameters(const ModelSpec& model, std::int64_t width, int tp);
/// Router, shared experts and the norm of a MoE layer.
std::int64_t moe_shared_parameters(const ModelSpec& model, int tp);

/// KV heads that a rank holds: kv_heads / tp, at least one (vLLM and Megatron replicate; physics.md, inference).
int kv_heads_of_rank(const ModelSpec& model, int tp);

}  // namespace stepsim
