#include "workloads/lowering/dims.h"

#include "workloads/parameters.h"

namespace stepsim {

Dims::Dims(const StepSpec& spec, std::int64_t pass_sequences, std::int64_t new_tokens, std::int64_t cached_tokens)
    : tp(spec.layout.tp), cp(spec.layout.cp), ep(spec.layout.ep), etp(spec.layout.etp) {
  const ModelSpec& model = spec.model;
  training = spec.workload.kind == WorkloadKind::training;
  sequence_parallel = spec.layout.sequence_parallel && tp > 1;
  const bool decode = spec.workload.kind == WorkloadKind::decode;
  sequences = decode ? (pass_sequences + cp - 1) / cp : pass_sequences;
  length = decode ? 1 : new_tokens / cp;
  cached = cached_tokens / cp;
  tokens = sequences * length;
  local_tokens = sequence_parallel ? (tokens + tp - 1) / tp : tokens;
  expert_tokens = (tokens + tp - 1) / tp;
  hidden = model.hidden;
  ffn = model.ffn / tp;
  q_heads = model.heads / tp;
  kv_heads = kv_heads_of_rank(model, tp);
  head_dim = model.head_dim;
  element = bytes_per_element(spec.workload.precision.activations).value();
  hidden_bytes = static_cast<std::int64_t>(static_cast<double>(tokens * hidden) * element);
}

}  // namespace stepsim
