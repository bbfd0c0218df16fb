#include "workloads/lower.h"

#include <map>
#include <tuple>

#include "workloads/lowering/inference_step.h"
#include "workloads/lowering/model_flops.h"
#include "workloads/lowering/training_step.h"
#include "workloads/memory.h"

namespace stepsim {

namespace {

const char* in_words(Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      return "none";
    case Recompute::selective:
      return "selective";
    default:
      return "full";
  }
}

/// Ranks with equal keys run one program: the stage, the place in a ring that is not balanced, whether its experts are
/// the busiest.
using ClassKey = std::tuple<int, int, bool>;

class Lowering {
 public:
  explicit Lowering(const StepSpec& spec) : spec_(spec) {
    if (spec_.workload.recompute == Recompute::auto_) spec_.workload.recompute = least_recompute_that_fits(spec_);
    plan_ = plan_stages(spec_);
  }

  StepGraph run() {
    graph_.grid = RankGrid(spec_.layout);
    for (int rank = 0; rank < graph_.grid.ranks(); ++rank) {
      graph_.program_of_rank.push_back(program_of(graph_.grid.coords(RankId(static_cast<std::uint32_t>(rank)))));
    }
    tables_.move_to(graph_);
    describe();
    return std::move(graph_);
  }

 private:
  ProgramId program_of(const RankCoords& at) {
    const bool by_place = spec_.layout.cp > 1 && spec_.workload.kind != WorkloadKind::decode &&
                          spec_.context_parallel.causal_balance == CausalBalance::contiguous;
    const bool busiest = unbalanced() && at.ep == 0;
    const ClassKey key{at.pp, by_place ? at.cp : 0, busiest};
    const auto known = programs_.find(key);
    if (known != programs_.end()) return known->second;
    const RankClass who{at.pp, std::get<1>(key), expert_load(busiest)};
    return programs_[key] = graph_.programs.push_back(program(who));
  }

  Program program(const RankClass& who) {
    if (spec_.workload.kind == WorkloadKind::training) {
      return training_program(spec_, plan_, who, spec_.workload.recompute, tables_);
    }
    return inference_program(spec_, plan_, who, tables_);
  }

  [[nodiscard]] bool unbalanced() const { return spec_.layout.ep > 1 && spec_.workload.routing.imbalance > 1; }

  /// The busiest rank gets imbalance times the mean; the others share the rest.
  [[nodiscard]] double expert_load(bool busiest) const {
    if (!unbalanced()) return 1;
    const double ep = spec_.layout.ep, imbalance = spec_.workload.routing.imbalance;
    return busiest ? imbalance : (ep - imbalance) / (ep - 1);
  }

  void describe() {
    const Workload& work = spec_.workload;
    const bool training = work.kind == WorkloadKind::training;
    graph_.memory_of_stage = memory_by_stage(spec_);
    graph_.microbatches = training ? work.global_batch / (spec_.layout.dp * work.micro_batch) : 1;
    graph_.tokens = tokens_of_step(spec_);
    graph_.model_flops = model_flops(spec_);
    graph_.recompute_used = training ? in_words(work.recompute) : "none";
    graph_.graph_replay = !training && spec_.stack.cuda_graphs_inference;
  }

  StepSpec spec_;
  StagePlan plan_;
  StepGraph graph_;
  WorkTables tables_;
  std::map<ClassKey, ProgramId> programs_;
};

}  // namespace

StepGraph lower(const StepSpec& spec) { return Lowering(spec).run(); }

}  // namespace stepsim
