// Kernel times against published ones. sustained_clock is set to 1 here: these were timed alone and cold.

#include <cmath>
#include <vector>

#include "library.h"
#include "sim/base/error.h"
#include "sim/engine/kernel_cost.h"

namespace stepsim::testing {
namespace {

Accelerator cold(const std::string& name) {
  Accelerator chip = shipped_accelerator(name);
  chip.sustained_clock = 1;
  return chip;
}

double microseconds(const Kernel& kernel, const Accelerator& chip) { return kernel_time(kernel, chip).value() * 1e6; }

Kernel square_weight_gemm(std::int64_t m) { return {Gemm{m, 8192, 8192, 1, Dtype::bf16, false}, "gemm", 1, Flops(0)}; }

// H100, 8192 x 8192 weights, bf16 (physics.md): the knee near M = 295 where memory and compute meet. 15 %: single rows
// of a table whose held-out mean error is 5 %.
TEST(Kernels, ThinToWideGemmOnH100) {
  const Accelerator chip = cold("h100-sxm");
  for (const auto& [m, published] : {std::pair{128, 52.0}, {256, 56.0}, {512, 90.0}, {1024, 191.0}}) {
    EXPECT_NEAR(microseconds(square_weight_gemm(m), chip), published, 0.15 * published) << m;
  }
}

// Best measured GEMMs (physics.md): A100 271, H100 792 TFLOP/s, large and square.
TEST(Kernels, LargeGemmsReachTheMeasuredRate) {
  constexpr double kFlops = 2.0 * 16384 * 16384 * 16384;
  const Kernel large{Gemm{16384, 16384, 16384, 1, Dtype::bf16, false}, "gemm", 1, Flops(kFlops)};
  EXPECT_NEAR(kFlops / microseconds(large, cold("a100-80gb")) / 1e6, 271, 0.05 * 271);
  EXPECT_NEAR(kFlops / microseconds(large, cold("h100-sxm")) / 1e6, 792, 0.08 * 792);
}

/// FlashAttention-3's benchmark: 16K tokens, 16 heads of 128.
Kernel flash(std::int64_t length, bool causal) {
  Attention a;
  a.sequences = 16384 / length;
  a.q_heads = a.kv_heads = 16;
  a.q_len = a.kv_len = length;
  a.causal = causal;
  a.area = static_cast<double>(length) * static_cast<double>(length) / (causal ? 2 : 1);
  const double flops = 4.0 * 128 * a.area * 16 * static_cast<double>(a.sequences);
  return {a, "attention", 1, Flops(flops)};
}

double tflops(const Kernel& kernel, const Accelerator& chip) {
  return kernel.flops.value() / kernel_time(kernel, chip).value() / 1e12;
}

// arXiv 2407.08608, forward, head_dim 128. 10 %: one curve serves causal and full attention.
TEST(Kernels, FlashAttentionForwardOnH100) {
  const Accelerator chip = cold("h100-sxm");
  const std::vector<std::pair<int, double>> causal{{512, 292},  {1024, 423}, {2048, 521},
                                                   {4096, 579}, {8192, 602}, {16384, 616}};
  for (const auto& [length, published] : causal) {
    EXPECT_NEAR(tflops(flash(length, true), chip), published, 0.10 * published) << length;
  }
  for (const auto& [length, published] : {std::pair{2048, 625.0}, {16384, 648.0}}) {
    EXPECT_NEAR(tflops(flash(length, false), chip), published, 0.10 * published) << length;
  }
}

// A GEMM of one wave: 132 tiles of 128 x 256 on 132 SMs (m 128 x 12, n 256 x 11), then one more row of tiles needs a
// second wave: twice the time, less the fixed overhead.
TEST(Kernels, WavesAreWhole) {
  Accelerator chip = cold("h100-sxm");
  chip.memory_bandwidth = BytesPerSecond(1e18);
  GemmCurve& curve = chip.gemm[Dtype::bf16];
  curve = {.ceiling = 0.5, .tile_m = 128, .tile_n = 256, .half_k = 0, .small_tile_loss = 2, .overhead = Seconds(0)};
  const auto time = [&](std::int64_t m) {
    return kernel_time({Gemm{m, 256 * 11, 100'000, 1, Dtype::bf16, false}, "gemm", 1, Flops(0)}, chip).value();
  };
  const double one_wave = 2.0 * 128 * 256 * 100'000 * 132 / (989.4e12 * 0.5);
  EXPECT_NEAR(time(128 * 12), one_wave, one_wave * 1e-9);
  EXPECT_NEAR(time(128 * 13), 2 * one_wave, one_wave * 1e-9);
}

TEST(Kernels, MemoryKernelsStream) {
  const Accelerator chip = shipped_accelerator("h100-sxm");
  const Kernel copy{MemoryOp{Bytes(3.35e9), false}, "copy", 1, Flops(0)};
  EXPECT_NEAR(kernel_time(copy, chip).value(), 1e-3 / chip.memory_efficiency + chip.memory_overhead.value(), 1e-9);
}

// The ideal chip: flops over 100 TFLOP/s, memory for nothing.
TEST(Kernels, IdealChipRunsAtPeak) {
  const Accelerator chip = shipped_accelerator("ideal");
  EXPECT_DOUBLE_EQ(kernel_time({Gemm{8, 8, 8, 1, Dtype::fp8, false}, "gemm", 1, Flops(1e9)}, chip).value(), 1e-5);
  EXPECT_DOUBLE_EQ(kernel_time({MemoryOp{Bytes(1e12), false}, "norm", 1, Flops(0)}, chip).value(), 0);
}

TEST(Kernels, MissingPeakIsNamed) {
  const Kernel kernel{Gemm{8, 8, 8, 1, Dtype::fp8, false}, "gemm", 1, Flops(1024)};
  try {
    static_cast<void>(kernel_time(kernel, shipped_accelerator("a100-80gb")));
    FAIL() << "an A100 has no fp8";
  } catch (const SimError& error) {
    EXPECT_NE(std::string(error.what()).find("a100-80gb has no peak for fp8"), std::string::npos) << error.what();
  }
}

// No shipped accelerator runs anything faster than its peaks allow.
TEST(Kernels, NothingBeatsTheHardware) {
  for (const char* name : {"a100-80gb", "h100-sxm", "h100-hbm2e-500w", "h200", "h800", "b200", "gb200"}) {
    const Accelerator chip = shipped_accelerator(name);
    for (const std::int64_t size : {1, 64, 1000, 8192, 65536}) {
      const double flops = 2.0 * static_cast<double>(size) * 8192 * 8192;
      const double bytes = 2.0 * 8192 * 8192;
      const double time =
          kernel_time({Gemm{size, 8192, 8192, 1, Dtype::bf16, false}, "gemm", 1, Flops(flops)}, chip).value();
      EXPECT_GT(time, flops / chip.peak.at(Dtype::bf16).value()) << name << " " << size;
      EXPECT_GT(time, bytes / chip.memory_bandwidth.value()) << name << " " << size;
    }
  }
}

}  // namespace
}  // namespace stepsim::testing
