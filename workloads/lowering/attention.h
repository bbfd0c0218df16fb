#pragma once
// The attention half of a layer: projections, scores and values, and what comes back. GQA (and MHA, MQA) and MLA.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

/// Norm, projections, attention over all blocks of the CP ring, output projection, TP reduction.
void attention_forward(const PassContext& ctx);
/// The same backward, in reverse.
void attention_backward(const PassContext& ctx);
/// Selective recompute: scores and values again, where the stack keeps neither (flash attention recomputes them
/// anyway).
void attention_recompute_core(const PassContext& ctx);

/// What one call of the attention kernel works on, before CP splits it: heads and head sizes of this rank.
Attention attention_shape(const PassContext& ctx);
/// Bytes that a ring hop carries for each token. MLA: in training the widened keys and values of this rank's heads, as
/// Megatron-LM does; in prefill the latents of the cache, and each rank widens what arrives.
double kv_bytes_of_token(const PassContext& ctx);
/// MLA in prefill: the up-projection of latents that a hop brought.
void widen_arrived(const PassContext& ctx);

}  // namespace stepsim
