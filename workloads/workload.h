#pragma once
// What one step does: its kind, lengths, batches, schedule, and which axes may run beside compute.

#include <optional>
#include <string>

#include "sim/base/units.h"
#include "workloads/precision.h"

namespace stepsim {

enum class WorkloadKind { training, prefill, decode };
enum class Recompute { none, selective, full, auto_ };
enum class Optimizer { none, adam };
enum class GradientSync { last, every_microbatch };
enum class CausalBalance { zigzag, contiguous };
enum class HopSync { lockstep, eager };

/// Routing of tokens to experts.
struct Routing {
  double imbalance = 1;     ///< tokens of the busiest expert over the mean, >= 1
  int nodes_per_token = 0;  ///< 0: no limit
};

struct Workload {
  WorkloadKind kind = WorkloadKind::training;
  int seq_len = 0;            ///< tokens of each sequence (training), new tokens (prefill)
  int global_batch = 0;       ///< training: sequences a step over the whole cluster
  int micro_batch = 1;        ///< training: sequences
  int batch = 0;              ///< prefill, decode: sequences over the whole cluster
  int cached_len = 0;         ///< prefill: tokens already in the KV cache
  int context_len = 0;        ///< decode: tokens in the KV cache of each sequence
  int redundant_experts = 0;  ///< inference: copies of hot experts, over the whole EP group
  Precision precision;
  Dtype linear_dtype = Dtype::bf16;  ///< the dtype whose peak MFU is measured against
  std::string schedule = "1f1b";     ///< a name of workloads/schedules
  Recompute recompute = Recompute::none;
  int zero_stage = 0;
  Optimizer optimizer = Optimizer::adam;
  std::optional<Dtype> gradient_dtype;        ///< unset: the stack's
  std::optional<GradientSync> gradient_sync;  ///< unset: last for ZeRO 0 and 1, every_microbatch for 2 and 3
  Routing routing;
};

/// May an axis run beside compute? Off: its ops are issued on the compute stream.
struct Overlap {
  bool tp = false, cp = true, pp = true, dp = true, ep = false;
};

struct ContextParallel {
  CausalBalance causal_balance = CausalBalance::zigzag;
  HopSync hop_sync = HopSync::lockstep;
};

/// Facts of the software that ran. No number here scales a result.
struct Stack {
  std::string name = "default";
  bool flash_attention = true;           ///< false: scores and probabilities go through memory
  bool fused_softmax = true;             ///< with unfused attention: scale, mask and softmax in one kernel
  Dtype gradient_dtype = Dtype::fp32;    ///< of the buffers that DP reduces
  Seconds launch = Seconds(4e-6);        ///< host time to issue one kernel
  bool cuda_graphs_inference = true;     ///< decode and prefill replay a graph: no launch cost for each kernel
  Bytes gradient_bucket = Bytes(160e6);  ///< size at which a bucket of gradients is sent
  std::string source;
};

}  // namespace stepsim
