#pragma once
// Number formats and what each part of a step computes in.

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace stepsim {

enum class Dtype { fp32, tf32, bf16, fp16, fp8, mxfp8, nvfp4, int8 };

/// Bytes of one element (fp8 and mxfp8 1, nvfp4 0.5; scale factors of block formats are not counted).
Bytes bytes_per_element(Dtype dtype);
std::string_view name_of(Dtype dtype);
std::optional<Dtype> parse_dtype(std::string_view name);

/// What each part computes or stores in. A scalar `precision: fp8` sets linear layers and dispatch to fp8 and leaves
/// attention, KV cache and combine in bf16 (design.md section 6); a 16-bit scalar sets all.
struct Precision {
  Dtype gemm = Dtype::bf16;  ///< every linear layer
  Dtype ffn = Dtype::bf16;   ///< linear layers of the FFN and of experts
  Dtype attention = Dtype::bf16;
  Dtype kv_cache = Dtype::bf16;
  Dtype dispatch = Dtype::bf16;     ///< expert parallelism: tokens on their way out
  Dtype combine = Dtype::bf16;      ///< and back
  Dtype activations = Dtype::bf16;  ///< residual stream and everything that TP, CP and PP send: 16-bit
};

/// The meaning of `precision: <dtype>`.
Precision precision_from_scalar(Dtype dtype);

}  // namespace stepsim
