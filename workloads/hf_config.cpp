#include "workloads/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

namespace stepsim {

namespace {

using Json = nlohmann::json;
using Names = std::initializer_list<const char*>;

SourceSpan span_at(std::string_view text, const std::string& file, std::size_t offset, int length) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(lines) + 1, static_cast<int>(offset - line_start) + 1, length};
}

/// The keys of one config.json: several names for one meaning, and findings that point at the key.
class HfFile {
 public:
  HfFile(const Json& map, std::string_view text, const std::string& file, Diagnostics& diagnostics)
      : map_(map), text_(text), file_(file), diagnostics_(diagnostics) {}

  [[nodiscard]] bool has(const char* key) const { return map_.contains(key) && !map_.at(key).is_null(); }
  [[nodiscard]] const Json& at(const char* key) const { return map_.at(key); }

  /// The first of `names` that is there; "" if none.
  [[nodiscard]] std::string present(Names names) const {
    for (const char* name : names) {
      if (has(name)) return name;
    }
    return "";
  }

  int required(Names names) {
    if (!present(names).empty()) return number(names, 1, 0);
    diagnostics_.error({file_, 0, 0, 1}, fmt::format("key '{}' is missing", *names.begin()), synonyms(names));
    return 0;
  }

  int optional(Names names, int otherwise, int least = 0) {
    return present(names).empty() ? otherwise : number(names, least, otherwise);
  }

  bool flag(const char* name) {
    if (!has(name)) return false;
    if (!at(name).is_boolean()) error(name, fmt::format("'{}' must be true or false", name), "");
    return at(name).is_boolean() && at(name).get<bool>();
  }

  std::string text(const char* name) const {
    return has(name) && at(name).is_string() ? at(name).get<std::string>() : "";
  }

  void error(const std::string& key, std::string message, std::string help) {
    diagnostics_.error(place(key), std::move(message), std::move(help));
  }
  void warning(const std::string& key, std::string message) { diagnostics_.warning(place(key), std::move(message)); }

 private:
  int number(Names names, int least, int otherwise) {
    const std::string key = present(names);
    const Json& value = map_.at(key);
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    const bool good = value.is_number_integer() && value >= least && value <= kMost;
    if (good) return value.get<int>();
    error(key, fmt::format("'{}' must be a whole number of at least {}", key, least), "");
    return otherwise;
  }

  static std::string synonyms(Names names) {
    if (names.size() == 1) return "";
    return fmt::format("also read as '{}'", fmt::join(names.begin() + 1, names.end(), "' or '"));
  }

  /// Where the key first stands in the text: JSON values carry no position.
  [[nodiscard]] SourceSpan place(const std::string& key) const {
    const std::string quoted = '"' + key + '"';
    const std::size_t offset = text_.find(quoted);
    if (offset == std::string_view::npos) return {file_, 0, 0, 1};
    return span_at(text_, file_, offset, static_cast<int>(quoted.size()));
  }

  const Json& map_;
  std::string_view text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
};

void read_head_dim(HfFile& file, ModelSpec& model) {
  model.head_dim = file.optional({"head_dim"}, 0, 1);
  if (model.head_dim > 0 || model.heads == 0) return;
  if (model.hidden % model.heads != 0) {
    file.error("num_attention_heads",
               fmt::format("hidden_size {} is no multiple of {} heads", model.hidden, model.heads), "give head_dim");
  }
  model.head_dim = model.hidden / model.heads;
}

/// What every family has.
void read_common(HfFile& file, ModelSpec& model) {
  model.hidden = file.required({"hidden_size"});
  model.layers = file.required({"num_hidden_layers"});
  model.vocab = file.required({"vocab_size"});
  model.heads = file.required({"num_attention_heads"});
  model.ffn = file.required({"intermediate_size"});
  model.tied_embeddings = file.flag("tie_word_embeddings");
  const bool window =
      file.has("sliding_window") && (!file.has("use_sliding_window") || file.flag("use_sliding_window"));
  if (window)
    file.error("sliding_window", "sliding-window attention can't be simulated", "set it to null for full attention");
}

void read_llama(HfFile& file, ModelSpec& model) {
  model.kv_heads = file.optional({"num_key_value_heads"}, model.heads, 1);
  model.attention_bias = file.flag("attention_bias");
  model.mlp_bias = file.flag("mlp_bias");
  read_head_dim(file, model);
}

void read_qwen2(HfFile& file, ModelSpec& model) {
  read_llama(file, model);
  model.qkv_bias = true;  // always, without a key of its own
}

/// head_dim is not hidden / heads in most of this family, so it has to be there.
void read_qwen3(HfFile& file, ModelSpec& model) {
  file.required({"head_dim"});
  read_llama(file, model);
  model.qk_norm = true;
}

void read_experts(HfFile& file, ModelSpec& model) {
  model.moe.experts = file.required({"num_local_experts", "num_experts", "n_routed_experts"});
  model.moe.top_k = file.required({"num_experts_per_tok", "num_experts_per_token"});
  if (model.moe.top_k > model.moe.experts) {
    file.error(file.present({"num_experts_per_tok", "num_experts_per_token"}),
               fmt::format("{} experts for each token, but there are {}", model.moe.top_k, model.moe.experts), "");
  }
}

void read_mixtral(HfFile& file, ModelSpec& model) {
  read_llama(file, model);
  read_experts(file, model);
  model.moe.ffn = model.ffn;
}

/// mlp_only_layers lists dense layers; a ModelSpec has them in front.
int leading_dense_layers(HfFile& file) {
  if (!file.has("mlp_only_layers")) return 0;
  const Json& listed = file.at("mlp_only_layers");
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (listed.is_array() && listed[i] == i) continue;
    file.error("mlp_only_layers", "dense layers that are not the first ones can't be simulated", "[0, 1, 2, …] or []");
    return 0;
  }
  return static_cast<int>(listed.size());
}

void read_qwen3_moe(HfFile& file, ModelSpec& model) {
  read_qwen3(file, model);
  read_experts(file, model);
  model.moe.ffn = file.required({"moe_intermediate_size"});
  model.moe.dense_layers = leading_dense_layers(file);
  model.moe.every = file.optional({"decoder_sparse_step"}, 1, 1);
  if (model.moe.every > 1 && model.moe.dense_layers > 0) {
    file.error("decoder_sparse_step", "decoder_sparse_step with mlp_only_layers can't be simulated",
               "give one of the two");
  }
}

/// Latent attention. `head_dim` of newer files is the rotary part only and is not read.
void read_mla(HfFile& file, ModelSpec& model) {
  model.mla.q_rank = file.optional({"q_lora_rank"}, 0, 1);
  model.mla.kv_rank = file.required({"kv_lora_rank"});
  model.mla.rope_dim = file.required({"qk_rope_head_dim"});
  model.mla.nope_dim = file.required({"qk_nope_head_dim"});
  model.mla.value_dim = file.required({"v_head_dim"});
  model.head_dim = model.mla.value_dim;
  model.kv_heads = model.heads;
  if (file.flag("attention_bias")) file.error("attention_bias", "biases of latent attention can't be simulated", "");
}

void read_deepseek_v3(HfFile& file, ModelSpec& model) {
  read_mla(file, model);
  read_experts(file, model);
  model.moe.ffn = file.required({"moe_intermediate_size"});
  model.moe.shared_experts = file.optional({"n_shared_experts"}, 0);
  model.moe.dense_layers = file.optional({"first_k_dense_replace"}, 0);
  model.moe.router_bias = true;  // e_score_correction_bias, for balance without a loss
  if (file.optional({"moe_layer_freq"}, 1, 1) != 1) {
    file.error("moe_layer_freq", "dense layers between MoE layers can't be simulated", "moe_layer_freq: 1");
  }
  if (file.optional({"num_nextn_predict_layers"}, 0) > 0) {
    file.warning("num_nextn_predict_layers", "the layers of multi-token prediction are left out");
  }
}

struct Family {
  const char* model_type;
  const char* architecture;
  void (*read)(HfFile&, ModelSpec&);
};

constexpr std::array<Family, 7> kFamilies{{
    {"llama", "LlamaForCausalLM", read_llama},
    {"mixtral", "MixtralForCausalLM", read_mixtral},
    {"qwen2", "Qwen2ForCausalLM", read_qwen2},
    {"qwen3", "Qwen3ForCausalLM", read_qwen3},
    {"qwen3_moe", "Qwen3MoeForCausalLM", read_qwen3_moe},
    {"deepseek_v3", "DeepseekV3ForCausalLM", read_deepseek_v3},
    {"kimi_k2", "DeepseekV3ForCausalLM", read_deepseek_v3},
}};

std::string first_architecture(const Json& map) {
  const auto found = map.find("architectures");
  if (found == map.end() || !found->is_array() || found->empty() || !found->front().is_string()) return "";
  return found->front().get<std::string>();
}

/// By model_type, or by the architecture where the type is absent or unknown. Null after an error.
const Family* find_family(const Json& map, HfFile& file) {
  const std::string type = file.text("model_type"), architecture = first_architecture(map);
  for (const Family& family : kFamilies) {
    if (type == family.model_type) return &family;
  }
  for (const Family& family : kFamilies) {
    if (architecture == family.architecture) return &family;
  }
  const std::string what = type.empty() ? "no model_type" : fmt::format("model_type '{}' is unknown", type);
  file.error("model_type", what, fmt::format("it can be {}", hf_families()));
  return nullptr;
}

/// nlohmann's message without its error code and its position, which stand before it already.
std::string parse_problem(const Json::parse_error& problem) {
  const std::string what = problem.what();
  const std::size_t column = what.find("column");
  const std::size_t colon = what.find(": ", column == std::string::npos ? 0 : column);
  return "not JSON: " + (colon == std::string::npos ? what : what.substr(colon + 2));
}

std::optional<Json> parse(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& problem) {
    const std::size_t offset = std::min(text.size(), problem.byte > 0 ? problem.byte - 1 : 0);
    diagnostics.error(span_at(text, file, offset, 1), parse_problem(problem));
    return std::nullopt;
  }
}

}  // namespace

std::string hf_families() {
  std::string names;
  for (const Family& family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family.model_type);
  return names;
}

std::optional<ModelSpec> read_hf_config(std::string_view json_text, const std::string& file, Diagnostics& diagnostics) {
  std::optional<Json> root = parse(json_text, file, diagnostics);
  if (!root) return std::nullopt;
  if (!root->is_object()) {
    diagnostics.error({file, 1, 1, 1}, "a config.json is an object: {…}");
    return std::nullopt;
  }
  const auto inner = root->find("text_config");
  const Json& map = inner != root->end() && inner->is_object() ? *inner : *root;
  Diagnostics own;
  HfFile keys(map, json_text, file, own);
  ModelSpec model;
  if (const Family* family = find_family(map, keys)) {
    model.name = family->model_type;
    read_common(keys, model);
    family->read(keys, model);
  }
  diagnostics.append(own);
  return own.has_errors() ? std::nullopt : std::optional<ModelSpec>(std::move(model));
}

}  // namespace stepsim
