#pragma once
// A chip: peaks, memory, and how near to them its kernels come.

#include <map>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "workloads/precision.h"

namespace stepsim {

/// How near GEMMs of one dtype come to the peak. Fitted by scenarios/accelerators/*.yaml from measured tables.
struct GemmCurve {
  double ceiling = 0.80;           ///< share of peak that large square GEMMs reach, cold
  int tile_m = 128, tile_n = 256;  ///< output tile of one SM
  double half_k = 128;             ///< k at which the inner loop reaches half of its speed (prologue, epilogue)
  double small_tile_loss = 0.1;    ///< a tile of 1/x of the base area loses 1 - x^-this of its rate
  Seconds overhead;                ///< start and end of the kernel on the device
  Bytes cast_traffic = Bytes(0);   ///< moved for each element of the left operand to cast it from 16 bits beforehand
};

/// Flash attention. Efficiency rises with the keys x that a query sees on average: ceiling * x / (x + half_length), and
/// in blocks that the causal mask cuts, ceiling * x / (x + half_length + causal_waste).
struct AttentionCurve {
  double forward_ceiling = 0.65, backward_ceiling = 0.50;  ///< share of peak
  double half_length = 120;   ///< keys for each query at which half of the ceiling is reached
  double causal_waste = 160;  ///< masked keys that a query's tiles compute all the same
  Seconds overhead;
  Seconds decode_overhead = Seconds(0);  ///< of one query a sequence, with cache write and merge of splits
  double decode_bandwidth_share = 0.8;   ///< of memory bandwidth, reading the KV cache
  double decode_share_8bit = 0.8;        ///< the same for a cache of 8-bit elements, which are widened on the way
};

struct Accelerator {
  std::string name;
  std::map<Dtype, FlopsPerSecond> peak;  ///< dense
  Bytes memory_capacity;
  BytesPerSecond memory_bandwidth;
  double memory_efficiency = 0.85;     ///< share of bandwidth that streaming kernels reach
  double thin_gemm_efficiency = 0.85;  ///< the same for GEMMs bound by their weights
  Seconds memory_overhead;             ///< start and end of a memory-bound kernel
  int sms = 0;                         ///< 0: no wave quantisation
  double sustained_clock = 1;          ///< share of the boost clock that dense work holds in a long job
  std::map<Dtype, GemmCurve> gemm;
  AttentionCurve attention;
  double comm_sm_share = 0;              ///< compute lost while a collective runs beside it
  double p2p_sm_share = 0;               ///< the same for a hop or a pipeline transfer
  bool ideal = false;                    ///< every kernel runs at peak; memory and launches cost nothing
  std::vector<std::string> assumptions;  ///< numbers without a source, printed by the report
};

}  // namespace stepsim
