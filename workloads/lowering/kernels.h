#pragma once
// Kernels with their flops.

#include <cstdint>
#include <string>

#include "workloads/step_graph.h"

namespace stepsim {

/// C[m x n] = A[m x k] B[k x n]: 2 m n k flops for each group.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t groups = 1;
};
Kernel gemm_kernel(std::string name, const GemmShape& shape, Dtype dtype, bool accumulate_fp32 = false);

/// 2 (qk_dim + v_dim) flops for each query-key pair, head and sequence; backward 2.5 times that: flash attention
/// computes the scores again (Dao 2022, arXiv 2205.14135, algorithm 4: five products for two). Unfused: 2 times.
Kernel attention_kernel(std::string name, const Attention& attention);

/// `bytes` read and written; no flops are counted.
Kernel memory_kernel(std::string name, double bytes, int launches = 1);

}  // namespace stepsim
