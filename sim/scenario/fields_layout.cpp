// The field tables of a layout, the overlap of its axes and context parallelism.

#include <algorithm>

#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

constexpr int kMaxDegree = 1 << 16;

/// Keys of a later version are checked, their values are not kept.
struct Unused {};

struct StageLayers {
  StageSplit split = StageSplit::even;
  std::vector<int> listed;
};

Rule<StageLayers> stage_layers_rule() {
  const Rule<StageSplit> word =
      rules::choice<StageSplit>({{"even", StageSplit::even}, {"balanced", StageSplit::balanced}});
  const Rule<std::vector<int>> list = rules::list_of(rules::integer(0, kMaxDegree));
  return {Shape{.kind = Shape::Kind::any_of, .parts = {word.shape, list.shape}},
          [word, list](const YamlNode& node, Reader& reader) -> std::optional<StageLayers> {
            if (node.is_list()) {
              auto layers = list.read(node, reader);
              return layers ? std::optional(StageLayers{StageSplit::listed, *layers}) : std::nullopt;
            }
            const auto split = word.read(node, reader);
            return split ? std::optional(StageLayers{*split, {}}) : std::nullopt;
          }};
}

void set_stage_layers(Layout& layout, const StageLayers& layers) {
  layout.split = layers.split;
  layout.stage_layers = layers.listed;
}

Rule<std::vector<Axis>> order_rule() {
  const Rule<std::vector<Axis>> list = rules::list_of(
      rules::choice<Axis>({{"tp", Axis::tp}, {"cp", Axis::cp}, {"ep", Axis::ep}, {"dp", Axis::dp}, {"pp", Axis::pp}}));
  const Shape automatic{.kind = Shape::Kind::choice, .choices = {"auto"}};
  return {Shape{.kind = Shape::Kind::any_of, .parts = {list.shape, automatic}},
          [list](const YamlNode& node, Reader& reader) -> std::optional<std::vector<Axis>> {
            if (node.is_scalar() && node.text == "auto") {
              rules::report_not_built(node, "order: auto", reader);
              return std::nullopt;
            }
            std::optional<std::vector<Axis>> order = list.read(node, reader);
            if (!order) return std::nullopt;
            std::vector<Axis> sorted = *order;
            std::sort(sorted.begin(), sorted.end());
            if (sorted == std::vector{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp}) return order;
            reader.error(node, "order names each of the five axes once",
                         "for example [tp, cp, ep, dp, pp], innermost first");
            return std::nullopt;
          }};
}

/// Known for decode context parallelism; anything but 1 is of a later version.
Rule<int> dcp_rule() {
  Rule<int> degree = rules::integer(1, kMaxDegree);
  return {degree.shape, [degree](const YamlNode& node, Reader& reader) {
            const std::optional<int> value = degree.read(node, reader);
            if (value && *value > 1) rules::report_not_built(node, "dcp (decode context parallelism)", reader);
            return value;
          }};
}

void add_degrees(Section<Layout>& table) {
  const Rule<int> degree = rules::integer(1, kMaxDegree);
  table.add("tp", &Layout::tp, degree, "tensor parallelism").otherwise("1");
  table.add("cp", &Layout::cp, degree, "context parallelism").otherwise("1");
  table.add("pp", &Layout::pp, degree, "pipeline parallelism").otherwise("1");
  table.add("dp", &Layout::dp, degree, "data parallelism").note("fills the cluster");
  table.add("ep", &Layout::ep, degree, "expert parallelism: ep consecutive ranks (stride etp) of a stage's ranks")
      .otherwise("1");
  table.add("etp", &Layout::etp, degree, "tensor parallelism of one expert").otherwise("1");
  table
      .add(
          "dcp", [](Layout&, int) {}, dcp_rule(), "decode context parallelism (more than 1 is not built yet)")
      .otherwise("1");
}

Section<Layout> make_layout() {
  Section<Layout> table("layout", "How the model is laid out: ranks = tp x cp x pp x dp.");
  add_degrees(table);
  table.add("virtual_stages", &Layout::virtual_stages, rules::integer(1, 255), "pipeline stages on each rank")
      .otherwise("1");
  table.add("sequence_parallel", &Layout::sequence_parallel, rules::boolean(), "norms and residuals sharded over tp")
      .note("training: true when tp > 1; inference: false");
  table
      .add("stage_layers", set_stage_layers, stage_layers_rule(),
           "layers of each virtual stage: even must divide; or a list in pipeline order")
      .otherwise("even");
  table
      .add("embedding_as_layer", &Layout::embedding_as_layer, rules::boolean(),
           "embedding and loss take a layer's place each")
      .otherwise("false");
  table.add("order", &Layout::order, order_rule(), "axes, innermost (fastest links) first; auto is not built yet")
      .otherwise("[tp, cp, ep, dp, pp]");
  return table;
}

/// false, true or {chunks: n}; all but false are of a later version.
Rule<bool> overlap_tp_rule() {
  static const Section<Unused> kChunks = [] {
    Section<Unused> table("overlap.tp", "Chunks of asynchronous tensor parallelism (not built yet).");
    table
        .add(
            "chunks", [](Unused&, int) {}, rules::integer(1, kMaxDegree), "how many")
        .required();
    return table;
  }();
  const Rule<bool> plain = rules::boolean();
  const Rule<Unused> chunks = rules::section(kChunks);
  return {Shape{.kind = Shape::Kind::any_of, .parts = {plain.shape, chunks.shape}},
          [plain, chunks](const YamlNode& node, Reader& reader) -> std::optional<bool> {
            const std::optional<bool> on =
                node.is_map() ? std::optional(chunks.read(node, reader).has_value()) : plain.read(node, reader);
            if (on.value_or(false)) rules::report_not_built(node, "overlap of tp (asynchronous TP)", reader);
            return on;
          }};
}

}  // namespace

const Section<Layout>& layout_section() {
  static const Section<Layout> kTable = make_layout();
  return kTable;
}

const Section<VariantDraft>& variant_section() {
  static const Section<VariantDraft> kTable = [] {
    Section<VariantDraft> table("layouts",
                                "One layout to compare: keys of layout, and workload keys that it overrides.");
    for (const FieldInfo& field : layout_section().info().fields)
      table.borrow(layout_section(), field.key, &VariantDraft::layout);
    for (const char* key : {"micro_batch", "recompute", "schedule", "zero_stage"})
      table.borrow(workload_section(), key, &VariantDraft::workload);
    return table;
  }();
  return kTable;
}

const Section<Overlap>& overlap_section() {
  static const Section<Overlap> kTable = [] {
    Section<Overlap> table("overlap", "Which axes may communicate beside compute.");
    table.add("tp", &Overlap::tp, overlap_tp_rule(), "tensor parallelism (true is not built yet)").otherwise("false");
    table.add("cp", &Overlap::cp, rules::boolean(), "ring hops beside attention").otherwise("true");
    table.add("pp", &Overlap::pp, rules::boolean(), "hand-offs between stages").otherwise("true");
    table.add("dp", &Overlap::dp, rules::boolean(), "gradients and weights beside backward and forward")
        .otherwise("true");
    table.add("ep", &Overlap::ep, rules::boolean(), "dispatch and combine beside the other microbatch")
        .otherwise("false");
    return table;
  }();
  return kTable;
}

namespace {

/// pass_kv is built; the others, and the mixed form {ring, all_to_all}, are of a later version.
Rule<bool> variant_rule() {
  static const Section<Unused> kMixed = [] {
    Section<Unused> table("variant", "Ring and all-to-all mixed (not built yet).");
    table
        .add(
            "ring", [](Unused&, int) {}, rules::integer(1, kMaxDegree), "ranks of a ring")
        .required();
    table
        .add(
            "all_to_all", [](Unused&, int) {}, rules::integer(1, kMaxDegree), "ranks of an all-to-all")
        .required();
    return table;
  }();
  const Rule<bool> word = rules::choice<bool>(
      {{"pass_kv", true}, {"pass_q", false, false}, {"all_gather", false, false}, {"all_to_all", false, false}});
  const Rule<Unused> mixed = rules::section(kMixed);
  return {Shape{.kind = Shape::Kind::any_of, .parts = {word.shape, mixed.shape}},
          [word, mixed](const YamlNode& node, Reader& reader) -> std::optional<bool> {
            if (!node.is_map()) return word.read(node, reader);
            mixed.read(node, reader);
            rules::report_not_built(node, "a mix of ring and all-to-all", reader);
            return false;
          }};
}

}  // namespace

Rule<CausalBalance> causal_balance_rule() {
  return rules::choice<CausalBalance>({{"zigzag", CausalBalance::zigzag},
                                       {"striped", CausalBalance::zigzag, false},
                                       {"contiguous", CausalBalance::contiguous}});
}

Rule<HopSync> hop_sync_rule() {
  return rules::choice<HopSync>({{"lockstep", HopSync::lockstep}, {"eager", HopSync::eager}});
}

const Section<ContextParallel>& context_parallel_section() {
  static const Section<ContextParallel> kTable = [] {
    Section<ContextParallel> table("context_parallel", "How context parallelism runs.");
    table
        .add(
            "variant", [](ContextParallel&, bool) {}, variant_rule(), "what goes around (only pass_kv is built)")
        .otherwise("pass_kv");
    table
        .add("causal_balance", &ContextParallel::causal_balance, causal_balance_rule(),
             "which positions a rank holds (striped is not built yet)")
        .otherwise("zigzag");
    table
        .add("hop_sync", &ContextParallel::hop_sync, hop_sync_rule(),
             "lockstep: send and receive are posted together; eager: a rank may run ahead")
        .otherwise("lockstep");
    return table;
  }();
  return kTable;
}

}  // namespace stepsim
