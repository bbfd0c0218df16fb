// The field tables of a model.

#include <fmt/format.h>

#include <filesystem>

#include "sim/scenario/fields.h"
#include "sim/scenario/reference.h"
#include "sim/scenario/rules.h"
#include "sim/scenario/text_file.h"
#include "workloads/hf_config.h"

namespace stepsim {
namespace {

constexpr int kMaxLayers = 10000, kMaxWidth = 1 << 24;

Section<MlaSpec> make_mla() {
  Section<MlaSpec> table("mla", "Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434).");
  table
      .add("q_rank", &MlaSpec::q_rank, rules::integer(0, kMaxWidth),
           "rank of the compressed queries; 0: projected directly")
      .otherwise("0");
  table.add("kv_rank", &MlaSpec::kv_rank, rules::integer(1, kMaxWidth), "rank of the compressed keys and values")
      .required();
  table.add("rope_dim", &MlaSpec::rope_dim, rules::integer(0, kMaxWidth), "width of a head's rotary part").required();
  table.add("nope_dim", &MlaSpec::nope_dim, rules::integer(1, kMaxWidth), "width of a head's part without position")
      .required();
  table.add("value_dim", &MlaSpec::value_dim, rules::integer(1, kMaxWidth), "width of a head's values").required();
  return table;
}

Section<MoeSpec> make_moe() {
  Section<MoeSpec> table("moe", "Mixture of experts.");
  table.add("experts", &MoeSpec::experts, rules::integer(1, 65535), "routed experts of a layer").required();
  table.add("top_k", &MoeSpec::top_k, rules::integer(1, 65535), "routed experts that a token visits").required();
  table.add("ffn", &MoeSpec::ffn, rules::integer(1, kMaxWidth), "width of one expert").required();
  table.add("shared_experts", &MoeSpec::shared_experts, rules::integer(0, 65535), "experts that every token visits")
      .otherwise("0");
  table.add("dense_layers", &MoeSpec::dense_layers, rules::integer(0, kMaxLayers), "leading layers with a dense FFN")
      .otherwise("0");
  table.add("every", &MoeSpec::every, rules::integer(1, kMaxLayers), "an MoE layer each so many layers").otherwise("1");
  table.add("router_bias", &MoeSpec::router_bias, rules::boolean(), "one correction bias for each expert (DeepSeek-V3)")
      .otherwise("false");
  return table;
}

const Section<MlaSpec>& mla_section() {
  static const Section<MlaSpec> kTable = make_mla();
  return kTable;
}

const Section<MoeSpec>& moe_section() {
  static const Section<MoeSpec> kTable = make_moe();
  return kTable;
}

void add_shape(Section<ModelSpec>& table) {
  table.add("name", &ModelSpec::name, rules::text(), "shown in reports").note("the file's name");
  table.add("layers", &ModelSpec::layers, rules::integer(1, kMaxLayers), "transformer layers").required();
  table.add("hidden", &ModelSpec::hidden, rules::integer(1, kMaxWidth), "width of the residual stream").required();
  table.add("ffn", &ModelSpec::ffn, rules::integer(1, kMaxWidth), "width of the dense FFN")
      .note("required unless every layer is MoE");
  table.add("heads", &ModelSpec::heads, rules::integer(1, kMaxWidth), "query heads").required();
  table.add("kv_heads", &ModelSpec::kv_heads, rules::integer(1, kMaxWidth), "key and value heads").note("heads");
  table.add("head_dim", &ModelSpec::head_dim, rules::integer(1, kMaxWidth), "width of a head").note("hidden / heads");
  table.add("vocab", &ModelSpec::vocab, rules::integer(0, kMaxWidth), "vocabulary; 0: no embedding, no loss")
      .required();
}

void add_kinds(Section<ModelSpec>& table) {
  table
      .add("mlp", &ModelSpec::mlp, rules::choice<MlpKind>({{"plain", MlpKind::plain}, {"gated", MlpKind::gated}}),
           "two matrices and an activation, or three (SwiGLU)")
      .otherwise("gated");
  table
      .add("positions", &ModelSpec::positions,
           rules::choice<PositionKind>(
               {{"none", PositionKind::none}, {"learned", PositionKind::learned}, {"rotary", PositionKind::rotary}}),
           "how positions enter")
      .otherwise("rotary");
  table.add("max_positions", &ModelSpec::max_positions, rules::integer(1, 1 << 30), "rows of learned positions")
      .note("the sequence length");
  table
      .add("tied_embeddings", &ModelSpec::tied_embeddings, rules::boolean(),
           "input embedding and output projection are one matrix")
      .otherwise("false");
  table.add("attention_bias", &ModelSpec::attention_bias, rules::boolean(), "biases of the attention's linear layers")
      .otherwise("false");
  table.add("mlp_bias", &ModelSpec::mlp_bias, rules::boolean(), "biases of the FFN's linear layers").otherwise("false");
  table.add("qk_norm", &ModelSpec::qk_norm, rules::boolean(), "RMS norm of each head's queries and keys (Qwen 3)")
      .otherwise("false");
  table
      .add("norm", &ModelSpec::layer_norm_bias, rules::choice<bool>({{"rms", false}, {"layer", true}}),
           "RMSNorm, or LayerNorm with weight and bias")
      .otherwise("rms");
}

Section<ModelSpec> make_model() {
  Section<ModelSpec> table("model",
                           "A decoder-only transformer: a library name, a path, a map of these keys, or {hf_config: "
                           "path} for Hugging Face's config.json.");
  add_shape(table);
  add_kinds(table);
  table.add("mla", &ModelSpec::mla, rules::section(mla_section()), "multi-head latent attention").note("none");
  table.add("moe", &ModelSpec::moe, rules::section(moe_section()), "mixture of experts").note("none");
  table
      .add(
          "source", [](ModelSpec&, const std::string&) {}, rules::text(), "where the numbers are from")
      .note("none");
  return table;
}

/// {hf_config: path} and nothing else.
struct HfReference {
  YamlNode path;
};

const Section<HfReference>& hf_section() {
  static const Section<HfReference> kTable = [] {
    Section<HfReference> table("model from hf_config", "A model from Hugging Face's config.json.");
    table
        .add("hf_config", &HfReference::path, rules::raw(Shape{.kind = Shape::Kind::text}),
             "path of the config.json, from this file")
        .required();
    return table;
  }();
  return kTable;
}

void read_hf(ModelSpec& model, const YamlNode& node, Reader& reader) {
  HfReference reference;
  hf_section().read(reference, node, reader);
  if (!reference.path.is_scalar()) return reader.expected(node, "the path of a config.json");
  const auto file = (std::filesystem::path(node.where.file).parent_path() / reference.path.text).lexically_normal();
  TextFile read = read_text_file(file.string());
  if (!read.text) return reader.error(reference.path, fmt::format("model file {}: {}", file.string(), read.problem));
  const std::string& text = reader.sources[file.string()] = std::move(*read.text);
  if (std::optional<ModelSpec> found = read_hf_config(text, file.string(), reader.diagnostics))
    model = *std::move(found);
  if (model.name.empty()) model.name = file.parent_path().filename().string();
}

void fill_heads(ModelSpec& model, const YamlNode& node, Reader& reader) {
  if (model.kv_heads == 0) model.kv_heads = model.heads;
  if (model.head_dim != 0 || model.heads == 0) return;
  model.head_dim = model.hidden / model.heads;
  if (model.hidden % model.heads != 0) {
    reader.diagnostics.error(reader.place("model.heads", node.where),
                             fmt::format("heads {} does not divide hidden {}", model.heads, model.hidden),
                             "give head_dim where it is not hidden / heads");
  }
}

void check_experts(const ModelSpec& model, const YamlNode& node, Reader& reader) {
  const bool all_moe = model.has_moe() && model.moe.dense_layers == 0 && model.moe.every == 1;
  if (model.ffn == 0 && !all_moe && node.find("ffn") == nullptr)
    reader.error(node, "model needs the key 'ffn': width of the dense FFN",
                 "it is a whole number; only a model whose layers are all MoE has none");
  if (model.moe.top_k > model.moe.experts) {
    reader.diagnostics.error(reader.place("model.moe.top_k", node.where),
                             fmt::format("top_k {} is more than the {} experts", model.moe.top_k, model.moe.experts));
  }
  if (model.moe.dense_layers > model.layers) {
    reader.diagnostics.error(
        reader.place("model.moe.dense_layers", node.where),
        fmt::format("dense_layers {} is more than the {} layers", model.moe.dense_layers, model.layers));
  }
}

void read_model(ModelSpec& model, const YamlNode& node, const std::string& name, Reader& reader) {
  if (node.find("hf_config") != nullptr) return read_hf(model, node, reader);
  model_section().read(model, node, reader);
  if (model.name.empty()) model.name = name;
  fill_heads(model, node, reader);
  check_experts(model, node, reader);
}

}  // namespace

const Section<ModelSpec>& model_section() {
  static const Section<ModelSpec> kTable = make_model();
  return kTable;
}

Rule<ModelSpec> model_rule() {
  Rule<ModelSpec> rule = reference<ModelSpec>(LibraryKind::model, model_section().info(), read_model);
  rule.shape.parts.push_back(Shape{.kind = Shape::Kind::section, .section = &hf_section().info()});
  return rule;
}

}  // namespace stepsim
