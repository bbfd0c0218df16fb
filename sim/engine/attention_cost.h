#pragma once
// Time of attention kernels.

#include "sim/base/units.h"
#include "sim/engine/accelerator.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// Flash attention: flops / (peak ceiling clock x/(x + half_length)), x the keys that a query sees on average: the
/// share of the peak rises with the work of a row (FlashAttention-3, arXiv 2407.08608, figure 5: 292 … 616 TFLOP/s
/// causal at 512 … 16K); causal_waste adds to half_length where a mask cuts tiles. Never below its bytes: queries,
/// keys, values and results once, at the share of the memory bandwidth that reading a KV cache reaches. One query a
/// sequence (decode) starts later: the op also writes the cache and merges the splits of flash decoding. Absorbed MLA
/// with many heads is bound by flops, with few by bytes. Unfused: two batched products forward, four backward, the
/// scores through memory.
Seconds attention_time(const Attention& attention, Flops flops, const Accelerator& chip);

}  // namespace stepsim
