#pragma once
// TP: what a layer sends around its sharded matrices (Shoeybi 2019, arXiv 1909.08053; with sequence parallelism
// Korthikanti 2022, arXiv 2205.05198). The payload tokens x hidden x element does not fall with the degree.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

/// Forward, before a column-parallel linear: AllGather of its input with sequence parallelism, else nothing.
void tp_gather(const PassContext& ctx);
/// Forward, after a row-parallel linear: AllReduce of its output, or ReduceScatter with sequence parallelism.
void tp_reduce(const PassContext& ctx);
/// Gathers `bytes` over the TP group whatever the mode; nothing at tp 1.
void tp_all_gather(const PassContext& ctx, std::int64_t bytes);
void tp_all_reduce(const PassContext& ctx, std::int64_t bytes);

/// A linear layer y = x W: x has k columns, y has n.
struct Linear {
  const char* name = "";
  std::int64_t n = 0, k = 0;
  Dtype dtype = Dtype::bf16;
};
void linear_forward(const PassContext& ctx, const Linear& linear, std::int64_t rows);
/// Gradient of the input: dx = dy W^T.
void linear_input_gradient(const PassContext& ctx, const Linear& linear, std::int64_t rows);
/// Gradient of the weight, added to its buffer: dW += x^T dy.
void linear_weight_gradient(const PassContext& ctx, const Linear& linear, std::int64_t rows);
/// Backward of a row-parallel linear: its output gradient is gathered (sequence parallelism), then both gradients.
void row_parallel_backward(const PassContext& ctx, const Linear& linear);
/// Backward of a column-parallel linear: the input is gathered again (sequence parallelism), both gradients, and the
/// input gradient is reduced over the group. Where TP may overlap, the gather runs beside the first product and the
/// reduction beside the second (Megatron-LM, LinearWithGradAccumulationAndAsyncCommunication).
void column_parallel_backward(const PassContext& ctx, const Linear& linear);

/// A norm with the residual sum before it: reads and writes the stream twice each; backward reads three, writes two.
void norm_forward(const PassContext& ctx, const char* name);
void norm_backward(const PassContext& ctx, const char* name);

}  // namespace stepsim
