#include "workloads/precision.h"

#include <array>

namespace stepsim {

namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  double bytes;
};

constexpr std::array<DtypeRow, 8> kDtypes{{
    {Dtype::fp32, "fp32", 4},
    {Dtype::tf32, "tf32", 4},  // a way to multiply: stored as fp32
    {Dtype::bf16, "bf16", 2},
    {Dtype::fp16, "fp16", 2},
    {Dtype::fp8, "fp8", 1},
    {Dtype::mxfp8, "mxfp8", 1},
    {Dtype::nvfp4, "nvfp4", 0.5},
    {Dtype::int8, "int8", 1},
}};

const DtypeRow& row_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)]; }

Precision all_parts_in(Dtype compute, Dtype stored) {
  return Precision{.gemm = compute,
                   .ffn = compute,
                   .attention = compute,
                   .kv_cache = stored,
                   .dispatch = stored,
                   .combine = stored,
                   .activations = stored};
}

}  // namespace

Bytes bytes_per_element(Dtype dtype) { return Bytes(row_of(dtype).bytes); }

std::string_view name_of(Dtype dtype) { return row_of(dtype).name; }

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

Precision precision_from_scalar(Dtype dtype) {
  if (dtype == Dtype::tf32) return all_parts_in(Dtype::tf32, Dtype::fp32);
  if (bytes_per_element(dtype) >= Bytes(2)) return all_parts_in(dtype, dtype);
  Precision precision;
  precision.gemm = precision.ffn = precision.dispatch = dtype;
  return precision;
}

}  // namespace stepsim
