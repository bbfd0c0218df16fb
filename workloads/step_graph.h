#pragma once
// One step as work only: kernels with their shapes, communications with their bytes, and the order of both on every
// class of ranks. No time in here: that is the engine's.

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/csr.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "workloads/layout.h"
#include "workloads/precision.h"
#include "workloads/rank_grid.h"

namespace stepsim {

// ---- kernels ----

/// C[m x n] = A[m x k] B[k x n], `groups` of them in one launch (grouped GEMM of experts: m is the mean of a group).
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t groups = 1;
  Dtype dtype = Dtype::bf16;
  bool accumulate_fp32 = false;  ///< weight gradient added to an fp32 buffer (reads and writes 4 bytes an element)
  bool operator==(const Gemm&) const = default;
};

/// Scores and values of one attention call. `area`: query-key pairs that are computed for each head and sequence
/// (causal half counted as such). Flash attention unless `unfused`, where these are two batched GEMMs and softmax is
/// apart.
struct Attention {
  std::int64_t sequences = 1, q_heads = 1, kv_heads = 1;
  int qk_dim = 128, v_dim = 128;
  std::int64_t q_len = 1, kv_len = 1;
  double area = 1;
  bool backward = false;
  bool unfused = false;
  bool causal = false;
  Dtype dtype = Dtype::bf16;
  Dtype kv_dtype = Dtype::bf16;
  bool operator==(const Attention&) const = default;
};

/// A kernel bound by memory: norms, activations, rotary, embedding, cross-entropy, optimizer, permutation.
struct MemoryOp {
  Bytes traffic;  ///< read + written
  bool optimizer = false;
  bool operator==(const MemoryOp&) const = default;
};

struct Kernel {
  std::variant<Gemm, Attention, MemoryOp> work;
  std::string name;  ///< "qkv", "attention", "ffn_up" …; "_dgrad", "_wgrad", "_bwd" suffixes in backward
  int launches = 1;  ///< kernels that the host issues for it
  Flops flops;       ///< what runs (recompute included), for hardware_tflops
  bool operator==(const Kernel&) const = default;
};

// ---- communications ----

enum class CommKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  scalar_all_reduce,
  ring_hop,
  send,
  recv
};
const char* name_of(CommKind kind);

/// `bytes` is the payload S: all_reduce, all_gather (gathered size), reduce_scatter (size before scattering) of each
/// rank; all_to_all: bytes that a rank sends in all, its own share excluded; ring_hop, send: bytes of the message.
struct Comm {
  CommKind kind = CommKind::all_reduce;
  Axis axis = Axis::tp;             ///< where its exposed time is booked
  GroupKind group = GroupKind::tp;  ///< who takes part; send and recv: unused
  std::int64_t bytes = 0;
  std::int16_t peer_stage = -1;      ///< send, recv: pipeline coordinate of the other side
  std::uint8_t channel = 0;          ///< send, recv: messages of one channel between two ranks keep their order
  bool eager = false;                ///< ring_hop: the sender does not wait for the receiver to post
  std::int32_t nodes_per_token = 0;  ///< all_to_all: nodes that a token may go to; 0: no limit
  std::string name;                  ///< "tp_forward_attention", "grad_sync" …
  std::int32_t copies = 1;           ///< all_to_all: destinations of each token (top-k)
  bool operator==(const Comm&) const = default;
};

// ---- programs ----

enum class OpKind : std::uint8_t { compute, collective, ring_hop, send, recv };

/// Ops of one stream run in order. pp has a stream for each direction of sends and of receives; "down" is toward the
/// next pipeline rank (cyclic), "up" toward the previous one.
enum class Stream : std::uint8_t { compute, tp, cp, ep, dp, send_down, send_up, recv_down, recv_up };
inline constexpr int kStreams = 9;

/// What an op belongs to, for traces and error texts.
enum class PassKind : std::uint8_t {
  forward,
  backward,
  recompute,
  weight_gradient,
  parameter_sync,
  gradient_sync,
  optimizer
};
const char* name_of(PassKind kind);

struct Op {
  OpKind kind = OpKind::compute;
  Stream stream = Stream::compute;
  PassKind pass = PassKind::forward;
  std::uint8_t chunk = 0;  ///< virtual stage on this rank
  std::uint32_t what = 0;  ///< KernelId of a compute op, CommId of the others
  std::uint16_t microbatch = 0;
  std::uint16_t layer = 0;  ///< layer of the model, or kNoLayer
};
static_assert(sizeof(Op) == 12);
inline constexpr std::uint16_t kNoLayer = 0xffff;

/// The ops of one class of ranks in the order in which the host issues them (which is also the order on each stream).
/// deps.row(i): ops of this program, all before i, that must have ended before op i may start; the predecessor on the
/// stream is implied.
struct Program {
  std::vector<Op> ops;
  Csr<std::uint32_t> deps;
  int pipeline_rank = 0;
};

/// Memory of one rank of a pipeline stage at its peak, bytes.
struct MemoryUse {
  Bytes weights, gradients, optimizer, activations, kv_cache, buffers;
  [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + kv_cache + buffers; }
};

struct StepGraph {
  RankGrid grid;
  IdVector<ProgramId, Program> programs;
  std::vector<ProgramId> program_of_rank;  ///< by rank
  IdVector<KernelId, Kernel> kernels;
  IdVector<CommId, Comm> comms;
  std::vector<MemoryUse> memory_of_stage;  ///< by pipeline rank
  bool graph_replay = false;               ///< kernels come from a recorded CUDA graph: the host is never late
  int microbatches = 1;
  double tokens = 0;           ///< tokens that the whole step handles (decode: one for each sequence)
  Flops model_flops;           ///< whole step, recompute not counted; design.md section 7
  std::string recompute_used;  ///< what `recompute: auto` became
};

}  // namespace stepsim
