#pragma once
// Sizes that one rank works with in one pass.

#include <cstdint>

#include "workloads/lower.h"

namespace stepsim {

/// Tokens of a pass on one rank of a CP group, and the widths that TP leaves it. Element sizes in bytes.
struct Dims {
  Dims(const StepSpec& spec, std::int64_t pass_sequences, std::int64_t new_tokens, std::int64_t cached_tokens);

  std::int64_t sequences = 1;      ///< in this pass on this rank; decode: those whose new token is here, 1/cp of them
  std::int64_t length = 1;         ///< new tokens of each sequence on this rank (1/cp of them)
  std::int64_t cached = 0;         ///< cached tokens of each sequence on this rank
  std::int64_t tokens = 1;         ///< sequences * length: rows of the GEMMs
  std::int64_t local_tokens = 1;   ///< rows of what sequence parallelism splits (norms, residuals)
  std::int64_t expert_tokens = 1;  ///< rows that this rank sends to experts: 1/tp of them
  std::int64_t hidden = 0, ffn = 0;
  std::int64_t q_heads = 0, kv_heads = 0, head_dim = 0;  ///< on this rank
  int tp = 1, cp = 1, ep = 1, etp = 1;
  bool sequence_parallel = false;
  bool training = true;
  double element = 2;             ///< of activations
  std::int64_t hidden_bytes = 0;  ///< tokens * hidden * element: payload of the TP collectives
};

}  // namespace stepsim
