#include "workloads/layout_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "workloads/divisors.h"
#include "workloads/schedules/schedule.h"
#include "workloads/stage_split.h"

namespace stepsim {

namespace {

/// Checks one specification rule by rule and keeps what is broken.
class RuleBook {
 public:
  RuleBook(const StepSpec& spec, std::size_t devices)
      : spec_(spec),
        model_(spec.model),
        layout_(spec.layout),
        work_(spec.workload),
        devices_(static_cast<std::int64_t>(devices)) {}

  std::vector<LayoutProblem> check() {
    degrees();
    workload_numbers();
    if (!problems_.empty()) return std::move(problems_);  // the rules below divide by these
    order();
    rank_count();
    heads();
    widths();
    experts();
    positions();
    context_parallel();
    sequence_parallel();
    stage_split();
    training() ? training_rules() : inference_rules();
    return std::move(problems_);
  }

 private:
  void add(std::string key, std::string message, std::string help) {
    problems_.push_back({std::move(key), std::move(message), std::move(help)});
  }

  [[nodiscard]] bool training() const { return work_.kind == WorkloadKind::training; }
  [[nodiscard]] bool decode() const { return work_.kind == WorkloadKind::decode; }

  void at_least_one(const char* key, int value) {
    if (value < 1) add(key, fmt::format("{} is {}", key, value), "it must be at least 1");
  }

  /// `divisor` (a degree with the given key) must divide `number` (described by `what`).
  void divides(const char* key, int divisor, std::int64_t number, const std::string& what) {
    if (number % divisor == 0) return;
    const std::string name = std::string(key).substr(std::string(key).rfind('.') + 1);
    add(key, fmt::format("{} {} does not divide {} {}", name, divisor, what, number),
        fmt::format("{} can be {}", name, divisors_text(number)));
  }

  /// `number` of the key must be a multiple of `step` (described by `why`).
  void multiple_of(const char* key, std::int64_t number, std::int64_t step, const std::string& why) {
    if (number % step == 0) return;
    const std::string name = std::string(key).substr(std::string(key).rfind('.') + 1);
    add(key, fmt::format("{} {} is no multiple of {} = {}", name, number, why, step),
        fmt::format("{} would be right", nearest_multiples_text(number, step)));
  }

  void degrees() {
    const std::array<std::pair<const char*, int>, 7> degrees{{{"layout.tp", layout_.tp},
                                                              {"layout.cp", layout_.cp},
                                                              {"layout.pp", layout_.pp},
                                                              {"layout.dp", layout_.dp},
                                                              {"layout.ep", layout_.ep},
                                                              {"layout.etp", layout_.etp},
                                                              {"layout.virtual_stages", layout_.virtual_stages}}};
    for (const auto& [key, value] : degrees) at_least_one(key, value);
    constexpr int kMostOfADegree = 32767;  // their products stay far inside 64 bits
    for (const auto& [key, value] : degrees)
      at_most(key, value, std::string(key) == "layout.dp" ? 4 * kMostOfADegree : kMostOfADegree);
    at_most("layout.virtual_stages", layout_.virtual_stages, std::numeric_limits<decltype(Op::chunk)>::max());
    at_most("model.layers", model_.layers, kNoLayer - 1);
  }

  void at_most(const char* key, int value, int limit) {
    if (value > limit) add(key, fmt::format("{} is {}", key, value), fmt::format("it can be at most {}", limit));
  }

  void workload_numbers() {
    if (training()) at_least_one("workload.global_batch", work_.global_batch);
    if (training()) at_least_one("workload.micro_batch", work_.micro_batch);
    if (!training()) at_least_one("workload.batch", work_.batch);
    if (decode()) at_least_one("workload.context_len", work_.context_len);
    if (!decode()) at_least_one("workload.seq_len", work_.seq_len);
    if (work_.zero_stage < 0 || work_.zero_stage > 3) {
      add("workload.zero_stage", fmt::format("zero_stage is {}", work_.zero_stage), "it can be 0, 1, 2 or 3");
    }
  }

  void order() {
    std::vector<Axis> sorted = layout_.order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == std::vector<Axis>{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp}) return;
    add("layout.order", "order must name each axis once", "for example [tp, cp, ep, dp, pp], innermost first");
  }

  [[nodiscard]] std::int64_t replica() const {  // ranks of one model replica
    return static_cast<std::int64_t>(layout_.tp) * layout_.cp * layout_.pp;
  }

  void rank_count() {
    const std::int64_t ranks = replica() * layout_.dp;
    if (ranks == devices_) return;
    const std::string help =
        devices_ > 0 && devices_ % replica() == 0
            ? fmt::format("dp {} would fill the cluster", devices_ / replica())
            : fmt::format("tp x cp x pp = {} must divide the {} accelerators", replica(), devices_);
    add("layout",
        fmt::format("tp {} x cp {} x pp {} x dp {} = {} ranks, but the cluster has {} accelerators", layout_.tp,
                    layout_.cp, layout_.pp, layout_.dp, ranks, devices_),
        help);
  }

  /// TP above kv_heads keeps one KV head on each rank, replicated tp / kv_heads times (physics.md, inference).
  void heads() {
    divides("layout.tp", layout_.tp, model_.heads, "the number of heads");
    if (model_.has_mla()) return;
    const int kv = model_.kv_heads;
    if (kv < 1 || model_.heads % kv != 0) {
      add("model.kv_heads", fmt::format("kv_heads {} does not divide the {} heads", kv, model_.heads),
          fmt::format("kv_heads can be {}", divisors_text(model_.heads)));
    } else if (kv % layout_.tp != 0 && layout_.tp % kv != 0) {
      add("layout.tp", fmt::format("tp {} and the {} KV heads: neither divides the other", layout_.tp, kv),
          fmt::format("tp can be {}, or a multiple of {} (KV heads are then replicated)", divisors_text(kv), kv));
    }
  }

  void widths() {
    if (has_dense_layer()) divides("layout.tp", layout_.tp, model_.ffn, "the FFN width");
    if (model_.vocab > 0) divides("layout.tp", layout_.tp, model_.vocab, "the vocabulary (pad it, as Megatron does)");
    const std::int64_t shared = static_cast<std::int64_t>(model_.moe.shared_experts) * model_.moe.ffn;
    if (model_.has_moe() && shared > 0) divides("layout.tp", layout_.tp, shared, "the width of the shared experts");
  }

  [[nodiscard]] bool has_dense_layer() const {
    for (int layer = 0; layer < model_.layers; ++layer) {
      if (!model_.is_moe_layer(layer)) return true;
    }
    return false;
  }

  void experts() {
    if (!model_.has_moe()) return no_experts();
    const int copies = training() ? 0 : work_.redundant_experts;
    if (training() && work_.redundant_experts > 0) {
      add("workload.redundant_experts", "redundant experts are for prefill and decode", "leave it out in training");
    }
    const std::string what =
        copies > 0 ? fmt::format("the {} experts + {} copies =", model_.moe.experts, copies) : "the number of experts";
    divides("layout.ep", layout_.ep, model_.moe.experts + copies, what);
    divides("layout.etp", layout_.etp, model_.moe.ffn, "the width of an expert");
    const std::int64_t stage = static_cast<std::int64_t>(layout_.tp) * layout_.cp * layout_.dp;
    const std::int64_t product = static_cast<std::int64_t>(layout_.ep) * layout_.etp;
    if (stage % product != 0) {
      add("layout.ep",
          fmt::format("ep {} x etp {} = {} does not divide tp x cp x dp = {}", layout_.ep, layout_.etp, product, stage),
          fmt::format("ep x etp can be {}", divisors_text(stage)));
    }
  }

  void no_experts() {
    const std::string help = "leave it out, or give the model a `moe` section";
    if (layout_.ep > 1) add("layout.ep", fmt::format("ep is {}, but the model has no experts", layout_.ep), help);
    if (layout_.etp > 1) add("layout.etp", fmt::format("etp is {}, but the model has no experts", layout_.etp), help);
    if (work_.redundant_experts > 0) add("workload.redundant_experts", "the model has no experts to copy", help);
  }

  void positions() {
    const std::int64_t length = decode() ? work_.context_len : std::int64_t{work_.seq_len} + work_.cached_len;
    if (model_.positions != PositionKind::learned || model_.max_positions == 0 || length <= model_.max_positions)
      return;
    add(decode() ? "workload.context_len" : "workload.seq_len",
        fmt::format("{} tokens, but the model has learned positions for {}", length, model_.max_positions),
        fmt::format("at most {}", model_.max_positions));
  }

  /// Zigzag cuts a sequence into 2 cp blocks and gives each rank one from either end.
  void context_parallel() {
    if (layout_.cp == 1) return;
    if (decode()) return multiple_of("workload.context_len", work_.context_len, layout_.cp, "cp");
    const bool zigzag = spec_.context_parallel.causal_balance == CausalBalance::zigzag;
    multiple_of("workload.seq_len", work_.seq_len, zigzag ? 2 * layout_.cp : layout_.cp,
                zigzag ? "2 cp (zigzag)" : "cp");
  }

  /// Each TP rank keeps 1/tp of a CP rank's positions.
  void sequence_parallel() {
    if (!layout_.sequence_parallel || layout_.tp == 1) return;
    const std::int64_t parts = static_cast<std::int64_t>(layout_.tp) * layout_.cp;
    if (!decode()) return multiple_of("workload.seq_len", work_.seq_len, parts, "tp x cp (sequence_parallel)");
    const std::int64_t all = static_cast<std::int64_t>(layout_.tp) * layout_.dp;
    multiple_of("workload.batch", work_.batch, all, "tp x dp (sequence_parallel)");
  }

  void stage_split() {
    SplitProblem problem = stage_split_problem(model_, layout_);
    if (!problem.message.empty()) add(problem.key, problem.message, problem.help);
  }

  void inference_rules() {
    multiple_of("workload.batch", work_.batch, layout_.dp, "dp");
    if (layout_.virtual_stages == 1) return;
    add("layout.virtual_stages", "virtual stages are for training", "leave it out in prefill and decode");
  }

  void training_rules() {
    const std::int64_t step = static_cast<std::int64_t>(layout_.dp) * work_.micro_batch;
    multiple_of("workload.global_batch", work_.global_batch, step,
                fmt::format("dp {} x micro_batch {}", layout_.dp, work_.micro_batch));
    if (layout_.virtual_stages > 1 && layout_.pp == 1) {
      add("layout.virtual_stages", "virtual stages interleave a pipeline, but pp is 1", "leave it out, or set pp");
    }
    if (work_.global_batch % step == 0) schedule(static_cast<int>(work_.global_batch / step));
  }

  void schedule(int microbatches) {
    constexpr int kMost = std::numeric_limits<decltype(Op::microbatch)>::max();
    if (microbatches > kMost) {
      add("workload.global_batch", fmt::format("{} microbatches", microbatches),
          fmt::format("there can be at most {}", kMost));
      return;
    }
    const ScheduleInfo* info = find_schedule(work_.schedule);
    if (info == nullptr) return;  // the reader of scenarios names the schedules there are
    const ScheduleSize size{
        .pipeline_ranks = layout_.pp, .virtual_stages = layout_.virtual_stages, .microbatches = microbatches};
    const std::string problem = info->problem(size);
    if (!problem.empty()) add("workload.schedule", problem, schedule_help(microbatches));
  }

  [[nodiscard]] std::string schedule_help(int microbatches) const {
    return fmt::format("microbatches = global_batch {} / (dp {} x micro_batch {}) = {}", work_.global_batch, layout_.dp,
                       work_.micro_batch, microbatches);
  }

  const StepSpec& spec_;
  const ModelSpec& model_;
  const Layout& layout_;
  const Workload& work_;
  std::int64_t devices_;
  std::vector<LayoutProblem> problems_;
};

}  // namespace

std::vector<LayoutProblem> layout_problems(const StepSpec& spec, std::size_t devices) {
  return RuleBook(spec, devices).check();
}

}  // namespace stepsim
