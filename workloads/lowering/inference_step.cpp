#include "workloads/lowering/inference_step.h"

#include <vector>

#include "workloads/lowering/layer.h"
#include "workloads/lowering/model_ends.h"
#include "workloads/lowering/pipeline_parallel.h"

namespace stepsim {

namespace {

/// With EP overlap, the sequences of a replica are two microbatches that hide each other's dispatch and combine.
std::vector<std::int64_t> sequences_by_microbatch(const StepSpec& spec) {
  const std::int64_t sequences = spec.workload.batch / spec.layout.dp;
  const bool two = spec.overlap.ep && spec.layout.ep > 1 && spec.model.has_moe() && sequences >= 2;
  if (!two) return {sequences};
  return {(sequences + 1) / 2, sequences / 2};
}

class InferenceStep {
 public:
  InferenceStep(const StepSpec& spec, const StagePlan& plan, const RankClass& who, WorkTables& tables)
      : spec_(spec), plan_(plan), who_(who), emit_(tables, writer_, spec.overlap) {}

  Program run() {
    const auto batches = sequences_by_microbatch(spec_);
    const OpList first = pass(0, batches[0]);
    if (batches.size() == 1) {
      writer_.append(first);
    } else {
      writer_.append_interleaved(first, pass(1, batches[1]));
    }
    return writer_.take(who_.pipeline_rank);
  }

 private:
  OpList pass(int microbatch, std::int64_t sequences) {
    const Workload& work = spec_.workload;
    const bool decode = work.kind == WorkloadKind::decode;
    const Dims dims(spec_, sequences, decode ? 1 : work.seq_len, decode ? work.context_len : work.cached_len);
    const PassContext ctx{spec_, dims, who_, emit_};
    const StagePass stage{who_.pipeline_rank, 0, false};
    const auto s = static_cast<std::size_t>(stage.stage);
    emit_.label({PassKind::forward, microbatch, 0});
    receive_input(ctx, plan_, stage);
    if (stage.stage == 0) embedding_forward(ctx);
    for (int i = 0; i < plan_.layers[s]; ++i) layer_forward(ctx, plan_.first_layer[s] + i);
    if (stage.stage + 1 == plan_.schedule.stages) logits_of_last_position(ctx);
    send_output(ctx, plan_, stage);
    return emit_.take();
  }

  const StepSpec& spec_;
  const StagePlan& plan_;
  RankClass who_;
  ProgramWriter writer_;
  Emitter emit_;
};

}  // namespace

Program inference_program(const StepSpec& spec, const StagePlan& plan, const RankClass& who, WorkTables& tables) {
  return InferenceStep(spec, plan, who, tables).run();
}

}  // namespace stepsim
