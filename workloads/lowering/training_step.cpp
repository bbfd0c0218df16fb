#include "workloads/lowering/training_step.h"

#include <map>
#include <utility>

#include "workloads/lowering/data_parallel.h"
#include "workloads/lowering/layer.h"
#include "workloads/lowering/model_ends.h"
#include "workloads/lowering/pipeline_parallel.h"

namespace stepsim {

namespace {

class TrainingStep {
 public:
  TrainingStep(const StepSpec& spec, const StagePlan& plan, const RankClass& who, Recompute recompute,
               WorkTables& tables)
      : spec_(spec),
        plan_(plan),
        recompute_(recompute),
        dims_(spec, spec.workload.micro_batch, spec.workload.seq_len, 0),
        who_(who),
        emit_(tables, writer_, spec.overlap),
        ctx_{spec, dims_, who_, emit_},
        dp_(spec, emit_, units_by_chunk()) {
    for (const Action& action : actions()) {
      if (action.kind == ActionKind::backward) last_microbatch_[action.chunk] = action.microbatch;
    }
  }

  Program run() {
    emit_.label({PassKind::parameter_sync, 0, 0});
    dp_.gather_at_start();
    writer_.append(take());
    run_passes();
    end_step();
    return writer_.take(who_.pipeline_rank);
  }

 private:
  [[nodiscard]] const std::vector<Action>& actions() const {
    return plan_.schedule.ranks[static_cast<std::size_t>(who_.pipeline_rank)];
  }

  [[nodiscard]] std::vector<std::vector<ParameterUnit>> units_by_chunk() const {
    std::map<int, int> stage_of;
    for (const Action& action : actions()) stage_of[action.chunk] = action.stage;
    std::vector<std::vector<ParameterUnit>> units;
    for (const auto& [chunk, stage] : stage_of) units.push_back(stage_units(spec_, plan_, stage));
    return units;
  }

  void run_passes() {
    const auto& all = actions();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + 1 < all.size() && run_together(all[i], all[i + 1])) {
        const OpList first = pass(all[i]);
        writer_.append_interleaved(first, pass(all[i + 1]));
        ++i;
      } else {
        writer_.append(pass(all[i]));
      }
      dp_.set_anchor(anchor_);
    }
  }

  /// A forward and a backward pass of different microbatches hide each other's dispatch and combine.
  [[nodiscard]] bool run_together(const Action& a, const Action& b) const {
    return spec_.overlap.ep && spec_.layout.ep > 1 && spec_.model.has_moe() && a.kind != b.kind && b.pair_with_previous;
  }

  OpList take() {
    if (emit_.last() != kNoHandle) anchor_ = emit_.last();
    return emit_.take();
  }

  OpList pass(const Action& action) {
    const bool backward = action.kind == ActionKind::backward;
    emit_.label({backward ? PassKind::backward : PassKind::forward, action.microbatch, action.chunk});
    dp_.begin_pass(action.chunk, backward);
    const StagePass stage{action.stage, plan_.schedule.direction_of[static_cast<std::size_t>(action.microbatch)],
                          backward};
    receive_input(ctx_, plan_, stage);
    if (backward) {
      backward_pass(action);
    } else {
      forward_pass(action);
    }
    send_output(ctx_, plan_, stage);
    return take();
  }

  [[nodiscard]] bool is_first(const Action& action) const { return action.stage == 0; }
  [[nodiscard]] bool is_last(const Action& action) const { return action.stage == plan_.schedule.stages - 1; }
  [[nodiscard]] int layers_of(const Action& action) const {
    return plan_.layers[static_cast<std::size_t>(action.stage)];
  }
  [[nodiscard]] int first_layer_of(const Action& action) const {
    return plan_.first_layer[static_cast<std::size_t>(action.stage)];
  }

  void forward_pass(const Action& action) {
    int unit = 0;
    if (is_first(action)) {
      dp_.before(unit++);
      embedding_forward(ctx_);
    }
    for (int i = 0; i < layers_of(action); ++i) {
      dp_.before(unit++);
      layer_forward(ctx_, first_layer_of(action) + i);
    }
    if (is_last(action)) {
      dp_.before(unit);
      loss_forward(ctx_);
      loss_[action.microbatch] = emit_.pending();
    }
  }

  void backward_pass(const Action& action) {
    const bool last = last_microbatch_[action.chunk] == action.microbatch;
    int unit = layers_of(action) + (is_first(action) ? 1 : 0);
    if (is_last(action)) {
      for (const Handle part : loss_[action.microbatch]) emit_.wait(part);
      dp_.before(unit);
      loss_backward(ctx_);
      dp_.after_backward(unit, last);
    }
    for (int i = layers_of(action) - 1; i >= 0; --i) {
      dp_.before(--unit);
      layer_backward(ctx_, first_layer_of(action) + i, recompute_);
      dp_.after_backward(unit, last);
    }
    if (is_first(action)) {
      dp_.before(--unit);
      embedding_backward(ctx_);
      dp_.after_backward(unit, last);
    }
  }

  void end_step() {
    emit_.label({PassKind::gradient_sync, 0, 0});
    sync_tied_embeddings();
    dp_.finish();
    emit_.label({PassKind::optimizer, 0, 0});
    dp_.update();
    writer_.append(take());
  }

  /// The embedding of the first stage and its copy on the last one have one gradient.
  void sync_tied_embeddings() {
    const int p = spec_.layout.pp;
    const bool end = who_.pipeline_rank == 0 || who_.pipeline_rank == p - 1;
    if (p == 1 || !end || !spec_.model.tied_embeddings || spec_.model.vocab == 0) return;
    Comm comm;
    comm.kind = CommKind::all_reduce;
    comm.axis = Axis::pp;
    comm.group = GroupKind::embedding;
    comm.bytes = static_cast<std::int64_t>(spec_.model.vocab / spec_.layout.tp) * spec_.model.hidden *
                 static_cast<std::int64_t>(bytes_per_element(ctx_.gradient_dtype()).value());
    comm.name = "tied_embeddings";
    emit_.comm(comm);
  }

  const StepSpec& spec_;
  const StagePlan& plan_;
  Recompute recompute_;
  Dims dims_;
  RankClass who_;
  ProgramWriter writer_;
  Emitter emit_;
  PassContext ctx_;
  DataParallel dp_;
  std::map<int, int> last_microbatch_;       ///< by chunk: whose backward comes last (gpipe goes backward through them)
  std::map<int, std::vector<Handle>> loss_;  ///< by microbatch: what its backward starts from
  Handle anchor_ = kNoHandle;
};

}  // namespace

Program training_program(const StepSpec& spec, const StagePlan& plan, const RankClass& who, Recompute recompute,
                         WorkTables& tables) {
  return TrainingStep(spec, plan, who, recompute, tables).run();
}

}  // namespace stepsim
