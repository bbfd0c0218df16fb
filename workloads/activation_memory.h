#pragma once
// Tensors that a layer keeps from its forward to its backward pass, counted op by op.

#include "workloads/lower.h"

namespace stepsim {

/// Bytes on one rank for one pass (training: a microbatch; prefill and decode: the tokens that run together).
/// In the case that Korthikanti 2022 (arXiv 2205.05198) covers, 16-bit multi-head attention with a plain FFN of 4 D,
/// the counts are its equations 1, 2, 4 and 6. Gated, GQA, MLA and MoE layers: the same rule, a tensor that the
/// backward pass reads is kept once.
class ActivationMemory {
 public:
  /// `spec` must live as long as this.
  explicit ActivationMemory(const StepSpec& spec);
  explicit ActivationMemory(StepSpec&&) = delete;

  [[nodiscard]] Bytes layer(int index, Recompute recompute) const;
  [[nodiscard]] Bytes embedding() const;  ///< what the input embedding keeps
  [[nodiscard]] Bytes head() const;       ///< last norm, output projection and fp32 logits
  /// The most that is alive at once where nothing is kept for a backward pass (prefill, decode).
  [[nodiscard]] Bytes working_set(int layer) const;

 private:
  [[nodiscard]] double attention(Recompute recompute) const;
  [[nodiscard]] double gqa_inner() const;
  [[nodiscard]] double mla_inner() const;
  [[nodiscard]] double scores() const;
  [[nodiscard]] double ffn(int layer) const;
  [[nodiscard]] double ffn_inner(double rows, double width) const;
  [[nodiscard]] double routed() const;
  [[nodiscard]] double replicated(double bytes_per_element) const;
  [[nodiscard]] double linear_input(Dtype linear) const;
  [[nodiscard]] bool dropout() const;

  const StepSpec& spec_;
  double tokens_ = 0;  ///< on this rank, before sequence parallelism
  double sequences_ = 0;
  double element_ = 2;  ///< bytes of an activation
};

/// Tokens of one pass on one rank of a CP group.
double tokens_of_pass(const StepSpec& spec);
/// Sequences that a rank's pipeline runs together.
double sequences_of_pass(const StepSpec& spec);

}  // namespace stepsim
