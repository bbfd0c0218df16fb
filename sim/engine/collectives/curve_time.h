#pragma once
// NCCL's collectives inside one level, from its measured curve.
//
// S the payload, n members, chunk c = S/n, P steps (AllReduce 2(n-1), AllGather and ReduceScatter n-1), B nominal
// bandwidth, eff the share of it that Simple reaches, f the last copy into the user's buffer:
//   w        = c (1 + f/P) / (B eff)                         wire time of a step
//   LL       = overhead + P (l + w/s)                        flags with the data
//   LL128    = overhead + start + P (l + w/s)
//   Simple   = overhead + start + P max(l + w/2, w + l/2)    two slices of a step in flight
//   NVLS     = start + S (1 + 1/n) / (B s)                   AllReduce = the lesser of this and the ring
//   all-to-all = peer (n-1) + min(start_1 + c/r, start_f + c (n-1+f)/(B eff s_f), start_a + c (n-1+f)/(B eff s_a))
// Simple is taken from the chunk on that lasts `simple_from` at B, as NCCL's tuning does (its break-even is a constant
// wire time), else the lesser of LL and LL128. Fitted to every second size of ai-dynamo/aiconfigurator's NCCL tables,
// 512 B to 512 MiB at 2, 4 and 8 GPUs; the other half is in tests/validation/nccl_tables_test.cpp.

#include <cstdint>

#include "sim/base/units.h"
#include "topology/collective_curve.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// A collective alone: a start, and what each rank's port then carries at B eff.
struct CurveTime {
  Seconds start;
  Bytes carried;
  [[nodiscard]] Seconds total(BytesPerSecond usable) const { return start + carried / usable; }
};

/// What the curve needs to know of its level.
struct LevelBandwidth {
  BytesPerSecond nominal;
  double efficiency = 1;
  [[nodiscard]] BytesPerSecond usable() const { return nominal * efficiency; }
};

/// all_reduce, all_gather, reduce_scatter, broadcast (as AllGather) and all_to_all of `comm.bytes`; n >= 2.
CurveTime curve_time(const Comm& comm, std::int64_t members, const CollectiveCurve& curve, const LevelBandwidth& level);

}  // namespace stepsim
