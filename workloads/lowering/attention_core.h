#pragma once
// Scores and values of one block: a flash-attention kernel, or unfused as in Megatron-LM 2022.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

/// Query-key pairs of one head and sequence that a block works on.
struct Block {
  std::int64_t q_len = 0, kv_len = 0;
  double area = 0;      ///< causal: the allowed pairs
  bool causal = false;  ///< the mask cuts through this block
};

/// Unfused, the full square is computed, and the scores go through memory: softmax with scale and mask reads and writes
/// them once (fused) or three times, dropout once more with a one-byte mask (Korthikanti 2022, section 4.1).
void block_forward(const PassContext& ctx, const Block& block);
void block_backward(const PassContext& ctx, const Block& block);

}  // namespace stepsim
