#pragma once
// Embedding on the first stage, loss on the last; both shard the vocabulary over TP.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

void embedding_forward(const PassContext& ctx);
void embedding_backward(const PassContext& ctx);
/// Last norm and logits of `rows` tokens; in training the cross-entropy with three AllReduces of 4 bytes a token
/// (largest logit, sum of exponentials, the target's logit: Megatron-LM, vocab_parallel_cross_entropy).
void loss_forward(const PassContext& ctx);
void loss_backward(const PassContext& ctx);
/// Inference: logits of the last position of each sequence, gathered over TP.
void logits_of_last_position(const PassContext& ctx);

}  // namespace stepsim
