// Kernel times on made-up chips with round numbers, worked out by hand above each test.

#include "sim/engine/kernel_cost.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.h"

namespace stepsim {
namespace {

constexpr double kPeak = 4e12;  ///< 1e12 for each of four SMs
constexpr double kBandwidth = 1e12;
constexpr double kRounding = 1e-12;

/// Four SMs, nothing lost: no overhead, no loss of small tiles, no prologue, memory so fast that it never limits.
Accelerator lossless_chip() {
  Accelerator chip;
  chip.name = "lossless";
  chip.sms = 4;
  chip.peak[Dtype::bf16] = FlopsPerSecond(kPeak);
  chip.memory_bandwidth = BytesPerSecond(1e24);
  chip.memory_efficiency = chip.thin_gemm_efficiency = 1;
  chip.gemm[Dtype::bf16] = {.ceiling = 1, .half_k = 0, .small_tile_loss = 0, .overhead = Seconds(0)};
  chip.attention.forward_ceiling = chip.attention.backward_ceiling = chip.attention.decode_bandwidth_share = 1;
  chip.attention.half_length = 0;
  return chip;
}

/// The same with tensor cores so fast that only the 1 TB/s of its memory limits.
Accelerator memory_bound_chip() {
  Accelerator chip = lossless_chip();
  chip.peak[Dtype::bf16] = FlopsPerSecond(1e24);
  chip.memory_bandwidth = BytesPerSecond(kBandwidth);
  return chip;
}

double seconds(const Gemm& gemm, const Accelerator& chip) {
  const double flops = 2.0 * static_cast<double>(gemm.m * gemm.n * gemm.k * gemm.groups);
  return kernel_time({gemm, "gemm", 1, Flops(flops)}, chip).value();
}

double seconds(const Attention& attention, double flops, const Accelerator& chip) {
  return kernel_time({attention, "attention", 1, Flops(flops)}, chip).value();
}

/// Time of one 128 x 256 tile of depth k on one SM.
double base_tile(double k) { return 2 * 128 * 256 * k / (kPeak / 4); }

// ---- matrix products, compute-bound ----

// 4 tiles of 128 x 256 on 4 SMs: one wave, all at work: exactly flops / peak.
TEST(KernelCost, OneFullWaveRunsAtPeak) {
  const double time = seconds(Gemm{512, 256, 300}, lossless_chip());
  EXPECT_NEAR(time, base_tile(300), kRounding * time);
  EXPECT_NEAR(time, 2.0 * 512 * 256 * 300 / kPeak, kRounding * time);
}

// Five base tiles on four SMs. Where small tiles cost their whole advantage (loss 1: half the tile takes as long as the
// whole one), two waves. Where they cost nothing, 64 x 128 tiles: 20 of a quarter of the work, 5 waves, no SM idle:
// 5/4 of a base tile. k is too short to be split.
TEST(KernelCost, TheLastWaveCostsAsMuchAsAFullOne) {
  Accelerator chip = lossless_chip();
  chip.gemm[Dtype::bf16].small_tile_loss = 1;
  EXPECT_NEAR(seconds(Gemm{640, 256, 300}, chip), 2 * base_tile(300), kRounding);
  EXPECT_NEAR(seconds(Gemm{640, 256, 300}, lossless_chip()), 1.25 * base_tile(300), kRounding);
}

// One tile of depth 1024 on four SMs: split in four parts of k = 256, each on its own SM; partial results cost nothing
// at this bandwidth. A split in eight would leave parts below 256.
TEST(KernelCost, FewTilesSplitTheInnerLoop) {
  Accelerator chip = lossless_chip();
  chip.gemm[Dtype::bf16].small_tile_loss = 1;
  EXPECT_NEAR(seconds(Gemm{128, 256, 1024}, chip), base_tile(256), kRounding);
}

// At k = half_k the inner loop is half of the time.
TEST(KernelCost, ShortInnerLoopsPayTheirPrologue) {
  Accelerator chip = lossless_chip();
  chip.gemm[Dtype::bf16].half_k = 200;
  EXPECT_NEAR(seconds(Gemm{512, 256, 200}, chip), 2 * base_tile(200), kRounding);
}

// Padding: m = 1 fills a row of tiles as m = 64 does (the smallest tile is 64 rows).
TEST(KernelCost, RowsArePaddedToATile) {
  const Accelerator chip = lossless_chip();
  EXPECT_DOUBLE_EQ(seconds(Gemm{1, 4096, 200}, chip), seconds(Gemm{64, 4096, 200}, chip));
  EXPECT_LT(seconds(Gemm{64, 4096, 200}, chip), seconds(Gemm{65, 4096, 200}, chip));
}

// Each expert of a grouped product pads its own rows: eight groups of one row cost eight of 64, far above one of eight.
TEST(KernelCost, GroupsPadEachForItself) {
  const Accelerator chip = lossless_chip();
  EXPECT_DOUBLE_EQ(seconds(Gemm{1, 4096, 200, 8}, chip), seconds(Gemm{64, 4096, 200, 8}, chip));
  EXPECT_NEAR(seconds(Gemm{1, 4096, 200, 8}, chip), 8 * seconds(Gemm{8, 4096, 200}, chip), kRounding);
}

// Without a number of SMs there are no tiles: flops / (peak ceiling).
TEST(KernelCost, WithoutSmsThereAreNoWaves) {
  Accelerator chip = lossless_chip();
  chip.sms = 0;
  chip.gemm[Dtype::bf16].ceiling = 0.5;
  const double time = seconds(Gemm{129, 257, 1000}, chip);
  EXPECT_NEAR(time, 2.0 * 129 * 257 * 1000 / (kPeak / 2), kRounding * time);
}

// The clock that a long job holds slows what computes, and not what waits for memory; overhead is added to either.
TEST(KernelCost, SustainedClockSlowsOnlyCompute) {
  Accelerator compute = lossless_chip(), memory = memory_bound_chip();
  compute.gemm[Dtype::bf16].overhead = memory.gemm[Dtype::bf16].overhead = Seconds(1e-3);
  const double cold = seconds(Gemm{512, 256, 300}, compute), thin = seconds(Gemm{1, 4096, 4096}, memory);
  compute.sustained_clock = memory.sustained_clock = 0.5;
  EXPECT_NEAR(seconds(Gemm{512, 256, 300}, compute) - 1e-3, 2 * (cold - 1e-3), kRounding);
  EXPECT_DOUBLE_EQ(seconds(Gemm{1, 4096, 4096}, memory), thin);
}

// ---- matrix products, memory-bound ----

// A (1 x 4000), B (4000 x 1000) and C (1 x 1000) in 2 bytes: 2 (4000 + 4e6 + 1000) = 8,010,000 bytes, at 80 % of 1
// TB/s.
TEST(KernelCost, ThinProductsReadTheirWeightsOnce) {
  Accelerator chip = memory_bound_chip();
  chip.thin_gemm_efficiency = 0.8;
  EXPECT_NEAR(seconds(Gemm{1, 1000, 4000}, chip), 8.01e6 / 0.8e12, kRounding);
}

// A weight gradient of 2000 x 1000 over 10 tokens: operands 2 (20000 + 10000) bytes; the result is 2 bytes an element
// (4 MB), or a read and a write of 4 (16 MB) where it adds to an fp32 buffer.
TEST(KernelCost, AccumulationInFp32ReadsAndWritesTheBuffer) {
  const Accelerator chip = memory_bound_chip();
  EXPECT_NEAR(seconds(Gemm{2000, 1000, 10}, chip), 4.06e6 / kBandwidth, kRounding);
  EXPECT_NEAR(seconds(Gemm{2000, 1000, 10, 1, Dtype::bf16, true}, chip), 16.06e6 / kBandwidth, kRounding);
}

// 5 bytes an element of A (1000 x 500) before the product, at half of 1 TB/s: 5 us; then 1 byte an element of A and B,
// 2 of C: 500,000 + 100,000 + 400,000.
TEST(KernelCost, EightBitProductsCastTheirInput) {
  Accelerator chip = memory_bound_chip();
  chip.peak[Dtype::fp8] = FlopsPerSecond(1e24);
  chip.memory_efficiency = 0.5;
  chip.gemm[Dtype::fp8] = {.half_k = 0, .overhead = Seconds(0), .cast_traffic = Bytes(5)};
  EXPECT_NEAR(seconds(Gemm{1000, 200, 500, 1, Dtype::fp8}, chip), 5e-6 + 1e6 / kBandwidth, kRounding);
}

// ---- attention ----

Attention square_attention(std::int64_t length) {
  Attention a;
  a.sequences = 2;
  a.q_heads = 8;
  a.kv_heads = 2;
  a.q_len = a.kv_len = length;
  a.area = static_cast<double>(length * length);
  return a;
}

double forward_flops(const Attention& a) {
  return 2 * a.area * static_cast<double>(a.q_heads * a.sequences) * (a.qk_dim + a.v_dim);
}

// A query sees 1000 keys on average; with half_length 1000 the kernel runs at half of its ceiling, 0.6 / 2 of the peak.
TEST(KernelCost, FlashAttentionRisesWithLength) {
  Accelerator chip = lossless_chip();
  chip.attention.forward_ceiling = 0.6;
  chip.attention.half_length = 1000;
  const Attention a = square_attention(1000);
  EXPECT_NEAR(seconds(a, forward_flops(a), chip), forward_flops(a) / (kPeak * 0.3), kRounding);
}

// Backward has its own ceiling; its flops (2.5 times forward) are the kernel's own number.
TEST(KernelCost, FlashAttentionBackwardHasItsCeiling) {
  Accelerator chip = lossless_chip();
  chip.attention.backward_ceiling = 0.4;
  Attention a = square_attention(1000);
  a.backward = true;
  const double flops = 2.5 * forward_flops(a);
  EXPECT_NEAR(seconds(a, flops, chip), flops / (kPeak * 0.4), kRounding);
}

// Decode, 2 sequences x 2 KV heads x 50,000 keys of 128 + 128 elements of 2 bytes: 102.4 MB, and queries and results of
// 2 x 8 rows: 2 x 8 x 256 x 2 = 8,192 bytes; at 80 % of 1 TB/s, after the start of 1 ms. An fp8 cache halves the first
// part, and is read at 40 %.
TEST(KernelCost, DecodeReadsTheCache) {
  Accelerator chip = memory_bound_chip();
  chip.attention.decode_bandwidth_share = 0.8;
  chip.attention.decode_share_8bit = 0.4;
  chip.attention.decode_overhead = Seconds(1e-3);
  Attention a = square_attention(50'000);
  a.q_len = 1;
  a.area = 50'000;
  EXPECT_NEAR(seconds(a, forward_flops(a), chip), 1e-3 + (102.4e6 + 8192) / 0.8e12, kRounding);
  a.kv_dtype = Dtype::fp8;
  EXPECT_NEAR(seconds(a, forward_flops(a), chip), 1e-3 + (51.2e6 + 8192) / 0.4e12, kRounding);
}

// Absorbed MLA: the cache holds 576 elements a token and the value is the first 512 of them, so 1,000 keys are 1.152
// MB, and 16 queries and results of 1,088 elements 34,816 bytes. On slow tensor cores its flops decide: 2 x 1,088 x
// 1,000 x 16.
TEST(KernelCost, AbsorbedMlaReadsTheLatentOnce) {
  Attention a;
  a.q_heads = 16;
  a.qk_dim = 576;
  a.v_dim = 512;
  a.kv_len = 1000;
  a.area = 1000;
  Accelerator memory = memory_bound_chip();
  memory.attention.decode_bandwidth_share = 1;
  EXPECT_NEAR(seconds(a, forward_flops(a), memory), (1.152e6 + 34816) / kBandwidth, kRounding);
  EXPECT_NEAR(seconds(a, forward_flops(a), lossless_chip()), 2.0 * 1088 * 1000 * 16 / kPeak, kRounding);
}

// Unfused: Q K^T, then P V, over the full square, batched over sequences and heads; the scores go through memory.
// Memory-bound: each reads or writes 16 squares of 1000 x 1000 in 2 bytes (32 MB) and two matrices of 1000 x 128
// (16 x 2 x 256,000 bytes = 8.192 MB). Backward is the four products of their gradients: twice that.
TEST(KernelCost, UnfusedAttentionIsTwoBatchedProducts) {
  const Accelerator chip = memory_bound_chip();
  Attention a = square_attention(1000);
  a.unfused = true;
  const double forward = 2 * (32e6 + 8.192e6) / kBandwidth;
  EXPECT_NEAR(seconds(a, forward_flops(a), chip), forward, kRounding);
  a.backward = true;
  EXPECT_NEAR(seconds(a, 2 * forward_flops(a), chip), 2 * forward, kRounding);
}

// ---- the rest ----

TEST(KernelCost, StreamingKernelsPayBytesAndStart) {
  Accelerator chip = memory_bound_chip();
  chip.memory_efficiency = 0.5;
  chip.memory_overhead = Seconds(1e-6);
  const Kernel norm{MemoryOp{Bytes(1e9)}, "norm", 1, Flops(0)};
  EXPECT_NEAR(kernel_time(norm, chip).value(), 2e-3 + 1e-6, kRounding);
}

// Ideal: flops / peak at any shape, in attention too, and memory for nothing.
TEST(KernelCost, IdealChipCountsFlopsOnly) {
  Accelerator chip;
  chip.ideal = true;
  chip.peak[Dtype::bf16] = FlopsPerSecond(1e14);
  EXPECT_DOUBLE_EQ(seconds(Gemm{1, 1, 50}, chip), 1e-12);
  EXPECT_DOUBLE_EQ(seconds(square_attention(10), 1e14, chip), 1);
  EXPECT_DOUBLE_EQ(kernel_time({MemoryOp{Bytes(1e15)}, "norm", 1, Flops(0)}, chip).value(), 0);
}

TEST(KernelCost, AMissingPeakNamesWhatThereIs) {
  try {
    static_cast<void>(seconds(Gemm{8, 8, 8, 1, Dtype::fp8}, lossless_chip()));
    FAIL() << "the chip has no fp8";
  } catch (const SimError& error) {
    EXPECT_EQ(std::string(error.what()), "accelerator lossless has no peak for fp8; its file gives bf16");
  }
}

// More rows, columns, depth or groups never make a product quicker, and a lower ceiling never does either.
TEST(KernelCost, MoreWorkIsNeverQuicker) {
  Accelerator chip = lossless_chip();
  chip.sms = 132;
  chip.memory_bandwidth = BytesPerSecond(kBandwidth);
  chip.gemm[Dtype::bf16].small_tile_loss = 0.1;
  double before = 0;
  for (std::int64_t m = 1; m < 3000; m = m * 5 / 4 + 1) {
    const double now = seconds(Gemm{m, 4096, 1024}, chip);
    EXPECT_GE(now, before) << m;
    EXPECT_LE(now, seconds(Gemm{m, 4096, 1024, 2}, chip)) << m;
    before = now;
  }
}

}  // namespace
}  // namespace stepsim
