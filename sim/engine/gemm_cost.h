#pragma once
// Time of matrix products.

#include "sim/base/units.h"
#include "sim/engine/accelerator.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// cast + max(compute, memory) + overhead.
///
/// Compute: output tiles go to SMs in waves; a wave takes 2 tile_m tile_n (k + half_k) / (peak ceiling clock / SMs).
/// half_k is prologue and epilogue in terms of k. The library is assumed to pick the best of six tiles around the base
/// tile, smaller ones losing (area / base area)^small_tile_loss of their rate to operand traffic, and of 1, 2, 4 or 8
/// splits of k where there are too few tiles (NVIDIA, "Matrix Multiplication Background User's Guide": tile and wave
/// quantisation). Memory: operands and result once over the bandwidth that GEMMs reach. Cast:
/// 8-bit products get their left operand in 16 bits; the kernel that narrows it streams cast_traffic an element. Range:
/// fitted to M 1 … 64K, N and K 128 … 64K (gemm.csv); errors by accelerator stand in its file.
Seconds gemm_time(const Gemm& gemm, const Accelerator& chip);

}  // namespace stepsim
