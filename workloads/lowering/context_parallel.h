#pragma once
// CP: ring attention with pass-KV (Liu 2023, arXiv 2310.01889), and decode with pass-Q.

#include <vector>

#include "workloads/lowering/attention_core.h"

namespace stepsim {

/// The block that a rank computes in each of the n steps of a ring; area 0 where it has none (contiguous causal split).
/// Zigzag: every rank holds chunks i and 2n-1-i, so each step costs half a square; with cached tokens each step adds
/// the rectangle of this rank's new tokens and 1/n of the cache. Contiguous: rank r computes half a square, then r full
/// ones.
std::vector<Block> ring_blocks(const PassContext& ctx);

/// Step i computes block i while hop i brings the keys and values of the next; n-1 hops. cp 1: one block.
void attention_ring_forward(const PassContext& ctx);
/// Keys and values go round again and their gradients with them: n-1 and n hops (the gradients return to their owner).
void attention_ring_backward(const PassContext& ctx);

}  // namespace stepsim
