// The field tables of a workload and of the software that runs it.

#include <algorithm>

#include "sim/scenario/fields.h"
#include "sim/scenario/reference.h"
#include "sim/scenario/rules.h"
#include "workloads/schedules/schedule.h"

namespace stepsim {
namespace {

constexpr int kMaxLength = 1 << 30;

struct PrecisionMap {
  std::optional<Dtype> gemm, ffn, attention, kv_cache, dispatch, combine;
};

const Section<PrecisionMap>& precision_section() {
  static const Section<PrecisionMap> kTable = [] {
    Section<PrecisionMap> table(
        "precision", "What each part computes or stores in. gemm is every linear layer; the others are exceptions.");
    table.add("gemm", &PrecisionMap::gemm, rules::dtype(), "every linear layer").otherwise("bf16");
    table.add("ffn", &PrecisionMap::ffn, rules::dtype(), "linear layers of the FFN and of experts").note("gemm");
    table.add("attention", &PrecisionMap::attention, rules::dtype(), "scores and values").note("16-bit");
    table.add("kv_cache", &PrecisionMap::kv_cache, rules::dtype(), "keys and values, stored and sent").note("16-bit");
    table.add("dispatch", &PrecisionMap::dispatch, rules::dtype(), "tokens on their way to experts").note("gemm");
    table.add("combine", &PrecisionMap::combine, rules::dtype(), "and back").note("16-bit");
    return table;
  }();
  return kTable;
}

Precision from_map(const PrecisionMap& map) {
  Precision precision = precision_from_scalar(map.gemm.value_or(Dtype::bf16));
  precision.ffn = map.ffn.value_or(precision.ffn);
  precision.attention = map.attention.value_or(precision.attention);
  precision.kv_cache = map.kv_cache.value_or(precision.kv_cache);
  precision.dispatch = map.dispatch.value_or(precision.dispatch);
  precision.combine = map.combine.value_or(precision.combine);
  return precision;
}

Rule<Precision> precision_rule() {
  const Rule<Dtype> scalar = rules::dtype();
  const Rule<PrecisionMap> map = rules::section(precision_section());
  return {Shape{.kind = Shape::Kind::any_of, .parts = {scalar.shape, map.shape}},
          [scalar, map](const YamlNode& node, Reader& reader) -> std::optional<Precision> {
            if (node.is_map()) {
              const auto parts = map.read(node, reader);
              return parts ? std::optional(from_map(*parts)) : std::nullopt;
            }
            const auto dtype = scalar.read(node, reader);
            return dtype ? std::optional(precision_from_scalar(*dtype)) : std::nullopt;
          }};
}

void set_precision(Workload& workload, const Precision& precision) {
  workload.precision = precision;
  workload.linear_dtype = precision.gemm;
}

bool is_csv(const std::string& name) { return name.size() > 4 && name.compare(name.size() - 4, 4, ".csv") == 0; }

Shape schedule_shape() {
  Shape names{.kind = Shape::Kind::choice};
  for (const ScheduleInfo& schedule : schedules()) names.choices.push_back(schedule.name);
  for (const std::string& name : future_schedules()) names.choices.push_back(name);
  return names;
}

Rule<std::string> schedule_rule() {
  const Shape names = schedule_shape();
  return {Shape{.kind = Shape::Kind::any_of, .parts = {names, Shape{.kind = Shape::Kind::text}}},
          [names](const YamlNode& node, Reader& reader) -> std::optional<std::string> {
            if (node.is_scalar() && find_schedule(node.text) != nullptr) return node.text;
            const auto& later = future_schedules();
            if (node.is_scalar() &&
                (is_csv(node.text) || std::find(later.begin(), later.end(), node.text) != later.end())) {
              rules::report_not_built(node, "schedule " + node.text, reader);
            } else {
              rules::report_bad_choice(node, names, reader);
            }
            return std::nullopt;
          }};
}

const Section<Routing>& routing_section() {
  static const Section<Routing> kTable = [] {
    Section<Routing> table("routing", "How tokens find their experts.");
    table.add("imbalance", &Routing::imbalance, rules::number(1, 1e6), "tokens of the busiest expert over the mean")
        .otherwise("1.0");
    table
        .add("nodes_per_token", &Routing::nodes_per_token, rules::integer(0, 1 << 20),
             "nodes that a token may go to; 0: no limit")
        .otherwise("0");
    return table;
  }();
  return kTable;
}

void add_sizes(Section<Workload>& table) {
  const Rule<int> length = rules::integer(1, kMaxLength);
  table
      .add("kind", &Workload::kind,
           rules::choice<WorkloadKind>({{"training", WorkloadKind::training},
                                        {"prefill", WorkloadKind::prefill},
                                        {"decode", WorkloadKind::decode}}),
           "what a step is")
      .required();
  table
      .add("seq_len", &Workload::seq_len, length,
           "training: tokens of a sequence; prefill: new tokens of each sequence")
      .note("required for training and prefill");
  table.add("global_batch", &Workload::global_batch, length, "training: sequences of a step, whole cluster")
      .note("required for training");
  table.add("micro_batch", &Workload::micro_batch, length, "training: sequences of a microbatch").otherwise("1");
  table.add("batch", &Workload::batch, length, "prefill, decode: sequences, whole cluster")
      .note("required for prefill and decode");
  table
      .add("cached_len", &Workload::cached_len, rules::integer(0, kMaxLength),
           "prefill: tokens of each sequence that the KV cache holds")
      .otherwise("0");
  table.add("context_len", &Workload::context_len, length, "decode: tokens of each sequence in the KV cache")
      .note("required for decode");
  table
      .add("redundant_experts", &Workload::redundant_experts, rules::integer(0, 65535),
           "inference: copies of hot experts over the EP group")
      .otherwise("0");
}

void add_training(Section<Workload>& table) {
  table
      .add("schedule", &Workload::schedule, schedule_rule(),
           "order of the pipeline's passes, or a CSV file (not built yet)")
      .note("1f1b; interleaved_1f1b when virtual_stages > 1");
  table
      .add("recompute", &Workload::recompute, recompute_rule(),
           "activations that backward computes again; auto: the least that fits")
      .otherwise("none");
  table
      .add("zero_stage", &Workload::zero_stage, rules::integer(0, 3),
           "what DP shards: 1 optimizer, 2 gradients too, 3 weights too")
      .otherwise("0");
  table
      .add("optimizer", &Workload::optimizer,
           rules::choice<Optimizer>({{"none", Optimizer::none}, {"adam", Optimizer::adam}}),
           "adam: fp32 master weights and moments")
      .otherwise("adam");
  table.add("gradient_dtype", &Workload::gradient_dtype, rules::dtype(), "of the gradients that DP reduces")
      .note("the stack's: fp32");
  table
      .add("gradient_sync", &Workload::gradient_sync,
           rules::choice<GradientSync>(
               {{"last", GradientSync::last}, {"every_microbatch", GradientSync::every_microbatch}}),
           "when gradients are reduced")
      .note("ZeRO 0, 1: last; ZeRO 2, 3: every_microbatch");
}

}  // namespace

Rule<Recompute> recompute_rule() {
  return rules::choice<Recompute>({{"none", Recompute::none},
                                   {"selective", Recompute::selective},
                                   {"full", Recompute::full},
                                   {"auto", Recompute::auto_}});
}

const Section<Workload>& workload_section() {
  static const Section<Workload> kTable = [] {
    Section<Workload> table("workload", "What one step does.");
    add_sizes(table);
    table
        .add("precision", set_precision, precision_rule(),
             "one dtype, or a map; fp8 as a scalar: linear layers and dispatch")
        .otherwise("bf16");
    add_training(table);
    table.add("routing", &Workload::routing, rules::section(routing_section()), "routing of tokens to experts")
        .otherwise("{}");
    return table;
  }();
  return kTable;
}

const Section<Stack>& stack_section() {
  static const Section<Stack> kTable = [] {
    Section<Stack> table("stack", "Facts of the software that ran: a library name, a path, or a map of these keys.");
    table.add("name", &Stack::name, rules::text(), "shown in reports").note("the file's name");
    table
        .add("attention", &Stack::flash_attention, rules::choice<bool>({{"flash", true}, {"unfused", false}}),
             "unfused: scores and probabilities go through memory")
        .otherwise("flash");
    table
        .add("fused_softmax", &Stack::fused_softmax, rules::boolean(),
             "with unfused attention: scale, mask and softmax in one kernel")
        .otherwise("true");
    table.add("gradient_dtype", &Stack::gradient_dtype, rules::dtype(), "of the buffers that DP reduces")
        .otherwise("fp32");
    table.add("launch", &Stack::launch, rules::time(), "host time to issue one kernel").otherwise("4 us");
    table
        .add("cuda_graphs_inference", &Stack::cuda_graphs_inference, rules::boolean(),
             "inference replays a graph: no launch cost for each kernel")
        .otherwise("true");
    table.add("gradient_bucket", &Stack::gradient_bucket, rules::size(), "size at which a bucket of gradients is sent")
        .otherwise("160 MB");
    table.add("source", &Stack::source, rules::text(), "where the facts are from").note("none");
    table
        .add(
            "sources", [](Stack&, const auto&) {}, rules::text_map(), "the same, by key")
        .note("none");
    return table;
  }();
  return kTable;
}

namespace {

void read_stack(Stack& stack, const YamlNode& node, const std::string& name, Reader& reader) {
  stack.name = name.empty() ? "inline" : name;
  stack_section().read(stack, node, reader);
}

}  // namespace

Rule<Stack> stack_rule() { return reference<Stack>(LibraryKind::stack, stack_section().info(), read_stack); }

}  // namespace stepsim
