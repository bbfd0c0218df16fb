#include "workloads/activation_memory.h"

#include <algorithm>

#include "workloads/parameters.h"

namespace stepsim {

namespace {

double bytes(Dtype dtype) { return bytes_per_element(dtype).value(); }

}  // namespace

double sequences_of_pass(const StepSpec& spec) {
  if (spec.workload.kind == WorkloadKind::training) return spec.workload.micro_batch;
  return static_cast<double>(spec.workload.batch) / spec.layout.dp;
}

double tokens_of_pass(const StepSpec& spec) {
  if (spec.workload.kind == WorkloadKind::decode) return sequences_of_pass(spec);
  return sequences_of_pass(spec) * spec.workload.seq_len / spec.layout.cp;
}

ActivationMemory::ActivationMemory(const StepSpec& spec)
    : spec_(spec),
      tokens_(tokens_of_pass(spec)),
      sequences_(sequences_of_pass(spec)),
      element_(bytes(spec.workload.precision.activations)) {}

/// Models with a plain FFN are of GPT-3's generation, which trains with dropout (one mask byte an element); those with
/// a gated FFN train without.
bool ActivationMemory::dropout() const { return spec_.model.mlp == MlpKind::plain; }

/// A tensor of tokens x hidden outside the TP-split parts: whole on each TP rank unless sequences are split too.
double ActivationMemory::replicated(double bytes_per_element) const {
  const double ranks = spec_.layout.sequence_parallel ? spec_.layout.tp : 1;
  return bytes_per_element * tokens_ * spec_.model.hidden / ranks;
}

/// Bytes of an element that a linear layer keeps of its input for the weight gradient: what it multiplied.
double ActivationMemory::linear_input(Dtype linear) const { return std::min(element_, bytes(linear)); }

/// Per layer of attention: input of the norm, input of the projections, q, k, v, output, dropout mask (Korthikanti
/// 2022, section 4.1). Flash attention keeps a log-sum-exp of 4 bytes for each row instead of the scores.
double ActivationMemory::attention(Recompute recompute) const {
  const double outside = replicated(element_ + linear_input(spec_.workload.precision.gemm) + (dropout() ? 1 : 0));
  const double inner = spec_.model.has_mla() ? mla_inner() : gqa_inner();
  if (!spec_.stack.flash_attention) return outside + inner + (recompute == Recompute::none ? scores() : 0);
  return outside + inner + 4 * tokens_ * spec_.model.heads / spec_.layout.tp;
}

/// q, k, v and the output, which flash attention and the output projection both read; an 8-bit projection keeps a copy.
double ActivationMemory::gqa_inner() const {
  const ModelSpec& model = spec_.model;
  const double q_width = static_cast<double>(model.heads) / spec_.layout.tp * model.head_dim;
  const double kv_width = static_cast<double>(kv_heads_of_rank(model, spec_.layout.tp)) * model.head_dim;
  const double linear = linear_input(spec_.workload.precision.gemm);
  const double copy = linear < element_ ? linear * q_width : 0;
  return tokens_ * (element_ * (2 * q_width + 2 * kv_width) + copy);
}

/// The latents before and after their norms (replicated over TP), then q, k, v and the output for each head.
double ActivationMemory::mla_inner() const {
  const MlaSpec& mla = spec_.model.mla;
  const double heads = static_cast<double>(spec_.model.heads) / spec_.layout.tp;
  const double latents = 2.0 * mla.q_rank + 2.0 * mla.kv_rank + mla.rope_dim;
  const double qk = 2.0 * heads * (mla.nope_dim + mla.rope_dim), v_and_out = 2.0 * heads * mla.value_dim;
  const double linear = linear_input(spec_.workload.precision.gemm);
  const double copy = linear < element_ ? linear * heads * mla.value_dim : 0;
  return tokens_ * (element_ * (latents + qk + v_and_out) + copy);
}

/// Softmax output; with dropout its mask and its output too: 5 n_q s^2 b in 16 bits.
double ActivationMemory::scores() const {
  const double bytes_of_pair = dropout() ? 2 * element_ + 1 : element_;
  const double pairs = tokens_ * spec_.workload.seq_len;
  return bytes_of_pair * pairs * spec_.model.heads / spec_.layout.tp;
}

/// Outputs of the matrices in (one, or gate and up) and the input of the matrix out.
double ActivationMemory::ffn_inner(double rows, double width) const {
  const double outputs = spec_.model.mlp == MlpKind::gated ? 2 : 1;
  return rows * width * (outputs * element_ + linear_input(spec_.workload.precision.ffn));
}

/// Every token has top_k copies; the stage's ranks share them evenly (etp ranks of one expert see the same), but for
/// `imbalance` where the busiest experts are: tokens x top_k x etp / tp rows, tokens being those of a whole TP group.
/// Kept: the router's scores, the dispatched rows and the tensors inside the experts. The weights of the combine are
/// applied inside the experts (as Megatron-Core does), so their outputs are not kept.
double ActivationMemory::routed() const {
  const MoeSpec& moe = spec_.model.moe;
  const Layout& layout = spec_.layout;
  const double rows = tokens_ * moe.top_k * layout.etp / layout.tp * spec_.workload.routing.imbalance;
  const double router = 4.0 * tokens_ * moe.experts / (layout.sequence_parallel ? layout.tp : 1);  // fp32 scores
  const double dispatched = rows * spec_.model.hidden * linear_input(spec_.workload.precision.ffn);
  return router + dispatched + ffn_inner(rows, static_cast<double>(moe.ffn) / layout.etp);
}

double ActivationMemory::ffn(int layer) const {
  const ModelSpec& model = spec_.model;
  const double outside = replicated(element_ + linear_input(spec_.workload.precision.ffn) + (dropout() ? 1 : 0));
  const double tp = spec_.layout.tp;
  if (!model.is_moe_layer(layer)) return outside + ffn_inner(tokens_, model.ffn / tp);
  return outside + routed() + ffn_inner(tokens_, model.moe.shared_experts * model.moe.ffn / tp);
}

Bytes ActivationMemory::layer(int index, Recompute recompute) const {
  if (recompute == Recompute::full) return Bytes(replicated(element_));
  return Bytes(attention(recompute) + ffn(index));
}

Bytes ActivationMemory::embedding() const { return Bytes(spec_.model.vocab > 0 && dropout() ? replicated(1) : 0); }

/// 4 s b D / t + 4 s b V / t (Korthikanti 2022, section 4.3). Prefill and decode need the last token's logits only.
Bytes ActivationMemory::head() const {
  if (spec_.model.vocab == 0) return Bytes(0);
  const double logits = 4.0 * spec_.model.vocab / spec_.layout.tp;
  if (spec_.workload.kind != WorkloadKind::training) return Bytes(sequences_ * logits);
  return Bytes(replicated(2 * element_) + tokens_ * logits);
}

/// One half of a layer at a time, beside the residual stream (which its norm's input is).
Bytes ActivationMemory::working_set(int layer) const {
  return Bytes(std::max(attention(Recompute::selective), ffn(layer)));
}

}  // namespace stepsim
