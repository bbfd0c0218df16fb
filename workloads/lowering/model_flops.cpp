#include "workloads/lowering/model_flops.h"

namespace stepsim {

namespace {

/// 2 (qk + v) flops for each head and allowed query-key pair, all layers and sequences.
double attention_flops(const StepSpec& spec, double sequences, double pairs) {
  const ModelSpec& model = spec.model;
  const double dims =
      model.has_mla() ? model.mla.nope_dim + model.mla.rope_dim + model.mla.value_dim : 2.0 * model.head_dim;
  return 2 * dims * model.heads * model.layers * sequences * pairs;
}

double output_projection(const ModelSpec& model) { return static_cast<double>(model.vocab) * model.hidden; }

/// Active parameters that multiply every token, without embedding and output projection.
double matrix_parameters(const ModelSpec& model) {
  const ParameterCount count = count_parameters(model);
  return static_cast<double>(count.active - count.embedding - count.head);
}

}  // namespace

double tokens_of_step(const StepSpec& spec) {
  const Workload& w = spec.workload;
  switch (w.kind) {
    case WorkloadKind::training:
      return static_cast<double>(w.global_batch) * w.seq_len;
    case WorkloadKind::prefill:
      return static_cast<double>(w.batch) * w.seq_len;
    case WorkloadKind::decode:
      return w.batch;
  }
  return 0;
}

Flops model_flops(const StepSpec& spec) {
  const Workload& w = spec.workload;
  const double tokens = tokens_of_step(spec), length = w.seq_len;
  const double matrices = 2 * matrix_parameters(spec.model), logits = 2 * output_projection(spec.model);
  if (w.kind == WorkloadKind::training) {
    return Flops(3 * ((matrices + logits) * tokens + attention_flops(spec, w.global_batch, length * length / 2)));
  }
  const double pairs = w.kind == WorkloadKind::decode ? w.context_len : length * length / 2 + length * w.cached_len;
  return Flops(matrices * tokens + logits * w.batch + attention_flops(spec, w.batch, pairs));
}

}  // namespace stepsim
