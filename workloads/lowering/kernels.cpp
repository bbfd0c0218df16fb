#include "workloads/lowering/kernels.h"

#include <utility>

namespace stepsim {

Kernel gemm_kernel(std::string name, const GemmShape& shape, Dtype dtype, bool accumulate_fp32) {
  const double flops = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                       static_cast<double>(shape.k) * static_cast<double>(shape.groups);
  return {Gemm{shape.m, shape.n, shape.k, shape.groups, dtype, accumulate_fp32}, std::move(name), 1, Flops(flops)};
}

Kernel attention_kernel(std::string name, const Attention& attention) {
  const double pairs =
      attention.area * static_cast<double>(attention.q_heads) * static_cast<double>(attention.sequences);
  const double passes = attention.backward ? (attention.unfused ? 2.0 : 2.5) : 1.0;
  const int launches = attention.unfused ? (attention.backward ? 4 : 2) : (attention.backward ? 3 : 1);
  return {attention, std::move(name), launches, Flops(2.0 * (attention.qk_dim + attention.v_dim) * pairs * passes)};
}

Kernel memory_kernel(std::string name, double bytes, int launches) {
  return {MemoryOp{Bytes(bytes), false}, std::move(name), launches, Flops(0)};
}

}  // namespace stepsim
