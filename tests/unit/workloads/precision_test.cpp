// Does a dtype's name, width and scalar meaning follow design.md section 6?
#include "workloads/precision.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

constexpr Dtype kAll[] = {Dtype::fp32, Dtype::tf32,  Dtype::bf16,  Dtype::fp16,
                          Dtype::fp8,  Dtype::mxfp8, Dtype::nvfp4, Dtype::int8};

TEST(Precision, EveryNameParsesToItself) {
  for (Dtype dtype : kAll) EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  EXPECT_EQ(parse_dtype("bfloat"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(Precision, BytesAreThoseOfOneElement) {
  EXPECT_EQ(bytes_per_element(Dtype::fp32), Bytes(4));
  EXPECT_EQ(bytes_per_element(Dtype::bf16), Bytes(2));
  EXPECT_EQ(bytes_per_element(Dtype::fp8), Bytes(1));
  EXPECT_EQ(bytes_per_element(Dtype::nvfp4), Bytes(0.5));
}

TEST(Precision, ScalarFp8IsLinearLayersAndDispatchOnly) {
  const Precision p = precision_from_scalar(Dtype::fp8);
  EXPECT_EQ(p.gemm, Dtype::fp8);
  EXPECT_EQ(p.ffn, Dtype::fp8);
  EXPECT_EQ(p.dispatch, Dtype::fp8);
  EXPECT_EQ(p.attention, Dtype::bf16);
  EXPECT_EQ(p.kv_cache, Dtype::bf16);
  EXPECT_EQ(p.combine, Dtype::bf16);
  EXPECT_EQ(p.activations, Dtype::bf16);
}

TEST(Precision, ScalarOf16BitsSetsAll) {
  const Precision p = precision_from_scalar(Dtype::fp16);
  for (Dtype part : {p.gemm, p.ffn, p.attention, p.kv_cache, p.dispatch, p.combine, p.activations}) {
    EXPECT_EQ(part, Dtype::fp16);
  }
}

}  // namespace
}  // namespace stepsim
