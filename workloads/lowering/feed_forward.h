#pragma once
// The dense FFN of a layer: two matrices with an activation, or three where gated.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

void feed_forward(const PassContext& ctx);
void feed_forward_backward(const PassContext& ctx);

/// Without the norm: an FFN of `width` columns on this rank. Also the shared experts of a MoE layer.
void mlp_forward(const PassContext& ctx, const char* up, const char* down, std::int64_t width);
void mlp_backward(const PassContext& ctx, const char* up, const char* down, std::int64_t width);

/// Bytes that the activation reads and writes for `rows` rows of `width` columns: gated reads two and writes one.
double activation_bytes(const PassContext& ctx, std::int64_t rows, std::int64_t width);
/// Backward: reads the gradient and the inputs, writes the gradients of the inputs.
double activation_backward_bytes(const PassContext& ctx, std::int64_t rows, std::int64_t width);
/// Matrices that read the input: 1, or 2 where gated.
std::int64_t up_matrices(const ModelSpec& model);

}  // namespace stepsim
