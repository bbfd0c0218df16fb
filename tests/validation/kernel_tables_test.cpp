// Rows of published tables that no curve was fitted to (the other half of the rows was). sustained_clock is 1: the
// tables were measured kernel by kernel, cold.

#include <cmath>
#include <vector>

#include "library.h"
#include "sim/engine/kernel_cost.h"

namespace stepsim::testing {
namespace {

Accelerator cold(const std::string& name) {
  Accelerator chip = shipped_accelerator(name);
  chip.sustained_clock = 1;
  return chip;
}

struct GemmRow {
  std::int64_t m, n, k;
  double microseconds;
};

double mean_error(const std::vector<GemmRow>& rows, Dtype dtype, const Accelerator& chip) {
  double sum = 0;
  for (const GemmRow& row : rows) {
    const Kernel kernel{Gemm{row.m, row.n, row.k, 1, dtype, false}, "gemm", 1, Flops(0)};
    sum += std::abs(kernel_time(kernel, chip).value() * 1e6 / row.microseconds - 1);
  }
  return sum / static_cast<double>(rows.size());
}

// aiconfigurator@095f58a, H100 SXM, every twentieth row of the half that was held out (239 rows, mean error 5.3 % in
// bf16 and 4.0 % in fp8). A dozen rows scatter around that: 8 %.
TEST(KernelTables, HeldOutGemmsOnH100) {
  const std::vector<GemmRow> bf16{{1, 7168, 8192, 45.77},     {4, 2048, 2048, 6.93},     {8, 10240, 8192, 66.59},
                                  {32, 7168, 8192, 45.05},    {128, 2048, 2048, 7.13},   {192, 10240, 8192, 68.49},
                                  {512, 7168, 8192, 84.97},   {1024, 2048, 2048, 14.43}, {1536, 10240, 8192, 333.08},
                                  {3072, 7168, 8192, 462.94}, {8192, 2048, 2048, 96.73}, {16384, 10240, 8192, 3406.98}};
  const std::vector<GemmRow> fp8{{1, 7168, 8192, 33.96},     {4, 2048, 2048, 13.72},     {8, 10240, 8192, 43.36},
                                 {32, 7168, 8192, 35.45},    {128, 2048, 2048, 15.31},   {192, 10240, 8192, 51.2},
                                 {512, 7168, 8192, 65.29},   {1024, 2048, 2048, 21.7},   {1536, 10240, 8192, 212.54},
                                 {3072, 7168, 8192, 324.37}, {8192, 2048, 2048, 108.08}, {16384, 10240, 8192, 2143.76}};
  EXPECT_LT(mean_error(bf16, Dtype::bf16, cold("h100-sxm")), 0.08);
  EXPECT_LT(mean_error(fp8, Dtype::fp8, cold("h100-sxm")), 0.08);
}

struct DecodeRow {
  std::int64_t sequences, keys, q_heads, kv_heads;
  double bf16_microseconds, fp8_microseconds;
};

double decode_microseconds(const DecodeRow& row, Dtype cache, const Accelerator& chip) {
  Attention a;
  a.sequences = row.sequences;
  a.q_heads = row.q_heads;
  a.kv_heads = row.kv_heads;
  a.kv_len = row.keys;
  a.area = static_cast<double>(row.keys);
  a.kv_dtype = cache;
  const double flops = 4.0 * 128 * a.area * static_cast<double>(row.q_heads * row.sequences);
  return kernel_time({a, "attention", 1, Flops(flops)}, chip).value() * 1e6;
}

// aiconfigurator@095f58a, H100 SXM, vLLM FA3 decode, every 24th row of the half that was held out (256 rows, mean error
// 9.2 % with a bf16 cache, 7.0 % with fp8; caches under 50 MB can lie in L2). Eleven rows scatter around that: 12 %.
TEST(KernelTables, HeldOutDecodeAttentionOnH100) {
  const std::vector<DecodeRow> rows{
      {1, 2048, 16, 8, 15.6, 17.06},     {1, 65536, 16, 2, 40.53, 38.55},    {2, 8192, 64, 8, 39.94, 26.49},
      {4, 2048, 16, 1, 14.26, 16.5},     {4, 65536, 8, 8, 355.58, 199.82},   {8, 8192, 32, 4, 58.99, 43.63},
      {16, 2048, 8, 1, 16.34, 17.89},    {16, 65536, 8, 8, 1391.23, 814.16}, {32, 16384, 16, 1, 101.62, 67.69},
      {64, 8192, 16, 8, 690.68, 386.41}, {256, 1024, 4, 1, 63.89, 50.63}};
  const Accelerator chip = cold("h100-sxm");
  double bf16 = 0, fp8 = 0;
  for (const DecodeRow& row : rows) {
    bf16 += std::abs(decode_microseconds(row, Dtype::bf16, chip) / row.bf16_microseconds - 1);
    fp8 += std::abs(decode_microseconds(row, Dtype::fp8, chip) / row.fp8_microseconds - 1);
  }
  EXPECT_LT(bf16 / static_cast<double>(rows.size()), 0.12);
  EXPECT_LT(fp8 / static_cast<double>(rows.size()), 0.12);
}

// arXiv 2411.01783, Table 8: Flash-Decoding of 16 query heads over one KV head, 38.9, 22.0 and 14.7 us at 128K, 64K and
// 32K keys. 8 %: the line passes the middle point by that much.
TEST(KernelTables, FlashDecodingOn500WattH100) {
  const Accelerator chip = cold("h100-hbm2e-500w");
  for (const auto& [keys, published] : {std::pair{131072, 38.9}, {65536, 22.0}, {32768, 14.7}}) {
    EXPECT_NEAR(decode_microseconds({1, keys, 16, 1, 0, 0}, Dtype::bf16, chip), published, 0.08 * published) << keys;
  }
}

// deepseek-ai/FlashMLA README.md@9241ae3, H800, 576 + 512 wide: 660 TFLOP/s with 128 query heads (compute-bound), 3.0
// TB/s where few heads leave it memory-bound. 5 %: nothing was fitted to these.
TEST(KernelTables, LatentAttentionOnH800) {
  Attention a;
  a.sequences = 128;
  a.q_heads = 128;
  a.qk_dim = 576;
  a.v_dim = 512;
  a.kv_len = 32768;
  a.area = 32768;
  const auto seconds = [&] {
    const double flops = 2.0 * (576 + 512) * a.area * static_cast<double>(a.q_heads * a.sequences);
    return kernel_time({a, "attention", 1, Flops(flops)}, cold("h800")).value();
  };
  EXPECT_NEAR(2.0 * 1088 * 32768 * 128 * 128 / seconds() / 1e12, 660, 0.05 * 660);
  a.q_heads = 16;
  EXPECT_NEAR(2.0 * 576 * 32768 * 128 / seconds() / 1e12, 3.0, 0.05 * 3.0);
}

}  // namespace
}  // namespace stepsim::testing
