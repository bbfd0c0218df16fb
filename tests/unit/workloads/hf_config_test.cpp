// Is a Hugging Face config.json read as the model that it describes, and a broken one refused where it is broken?
// tests/data/hf holds the files as published on huggingface.co.
#include "workloads/hf_config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/workloads/models.h"

namespace stepsim {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream in(std::string(STEPSIM_SOURCE_DIR) + "/tests/data/hf/" + name);
  EXPECT_TRUE(in) << name;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

ModelSpec read(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<ModelSpec> model = read_hf_config(text, "config.json", diagnostics);
  EXPECT_TRUE(model) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  return model.value_or(ModelSpec{});
}

std::int64_t total(const std::string& text) { return count_parameters(read(text)).total; }

TEST(HfConfig, TotalsArePublishedOnes) {
  EXPECT_EQ(total(file_text("llama-3.3-70b.config.json")), 70'553'706'496);
  EXPECT_EQ(total(file_text("mixtral-8x7b.config.json")), 46'702'792'704);
  EXPECT_EQ(total(file_text("qwen3-30b-a3b.config.json")), 30'532'122'624);
  EXPECT_EQ(total(file_text("deepseek-v3.config.json")), 671'026'419'200);
}

// Qwen2.5-7B, config.json; 7,615,616,512 parameters in its safetensors headers. Biases on q, k and v only.
TEST(HfConfig, Qwen2HasBiasesOnQkv) {
  EXPECT_EQ(total(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
    "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": false,
    "sliding_window": 131072, "use_sliding_window": false})"),
            7'615'616'512);
}

TEST(HfConfig, SynonymsOfNewerFiles) {
  const std::string qwen = file_text("qwen3-30b-a3b.config.json");
  EXPECT_EQ(total(replaced(qwen, "\"num_experts\"", "\"num_local_experts\"")), 30'532'122'624);
  EXPECT_EQ(total(replaced(qwen, "\"model_type\": \"qwen3_moe\",", "")), 30'532'122'624);  // by architecture
}

// DeepSeek dumps add head_dim 64, the rotary part: not the head dimension of attention.
TEST(HfConfig, DeepSeeksHeadDimIsNotRead) {
  const std::string text =
      replaced(file_text("deepseek-v3.config.json"), "{", "{\"head_dim\": 64, \"qk_head_dim\": 192,");
  const ModelSpec model = read(text);
  EXPECT_EQ(model.head_dim, 128);
  EXPECT_EQ(model.mla.rope_dim + model.mla.nope_dim, 192);
  EXPECT_EQ(count_parameters(model).total, 671'026'419'200);
}

TEST(HfConfig, KimiIsDeepSeeksArchitecture) {
  const ModelSpec model = read(replaced(file_text("deepseek-v3.config.json"), "deepseek_v3", "kimi_k2"));
  EXPECT_TRUE(model.has_mla());
  EXPECT_EQ(model.name, "kimi_k2");
}

TEST(HfConfig, MultimodalFilesAreReadAtTextConfig) {
  const std::string inner = file_text("llama-3.3-70b.config.json");
  EXPECT_EQ(total("{\"model_type\": \"llava\", \"hidden_size\": 1, \"text_config\": " + inner + "}"), 70'553'706'496);
}

TEST(HfConfig, HeadDimIsHiddenOverHeadsUnlessGiven) {
  const std::string llama = file_text("llama-3.3-70b.config.json");
  EXPECT_EQ(read(llama).head_dim, 128);
  EXPECT_EQ(read(replaced(llama, "{", "{\"head_dim\": 96,")).head_dim, 96);
  EXPECT_EQ(read(replaced(llama, "\"num_key_value_heads\": 8,", "")).kv_heads, 64);
}

Diagnostic first_error(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_hf_config(text, "c.json", diagnostics));
  EXPECT_TRUE(diagnostics.has_errors());
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return d;
  }
  return {};
}

TEST(HfConfig, BrokenJsonHasLineAndColumn) {
  const Diagnostic d = first_error("{\n  \"hidden_size\": 12,\n  oops\n}");
  EXPECT_EQ(d.where.line, 3);
  EXPECT_EQ(d.where.column, 3);
  EXPECT_NE(d.message.find("not JSON"), std::string::npos);
  EXPECT_EQ(first_error("").where.line, 1);
  EXPECT_EQ(first_error("[1]").message.substr(0, 13), "a config.json");
  EXPECT_NE(first_error(std::string("\x00\xff\xfe", 3)).message, "");
  EXPECT_NE(first_error(std::string(100000, '[')).message, "");
}

TEST(HfConfig, UnknownFamilyListsTheKnownOnes) {
  const Diagnostic d = first_error("{\n \"model_type\": \"mamba\"}");
  EXPECT_EQ(d.where.line, 2);
  EXPECT_NE(d.message.find("mamba"), std::string::npos);
  EXPECT_NE(d.help.find("qwen3_moe"), std::string::npos);
}

TEST(HfConfig, MissingAndWrongKeysAreNamed) {
  const std::string llama = file_text("llama-3.3-70b.config.json");
  EXPECT_NE(first_error(replaced(llama, "\"hidden_size\"", "\"hidden\"")).message.find("'hidden_size'"),
            std::string::npos);
  const Diagnostic text = first_error(replaced(llama, "\"num_hidden_layers\": 80", "\"num_hidden_layers\": \"80\""));
  EXPECT_NE(text.message.find("num_hidden_layers"), std::string::npos);
  EXPECT_GT(text.where.line, 1);
  EXPECT_NE(first_error(replaced(llama, ": 8192", ": 8192.5")).message.find("whole"), std::string::npos);
  EXPECT_NE(first_error(replaced(llama, ": 8192", ": -1")).message.find("at least 1"), std::string::npos);
  EXPECT_NE(first_error(replaced(llama, ": 8192", ": 99999999999999")).message.find("hidden_size"), std::string::npos);
}

TEST(HfConfig, WhatCantBeSimulatedIsRefused) {
  const std::string mixtral = file_text("mixtral-8x7b.config.json"), qwen = file_text("qwen3-30b-a3b.config.json");
  EXPECT_NE(
      first_error(replaced(mixtral, "\"sliding_window\": null", "\"sliding_window\": 4096")).message.find("sliding"),
      std::string::npos);
  EXPECT_NE(
      first_error(replaced(qwen, "\"mlp_only_layers\": []", "\"mlp_only_layers\": [5]")).message.find("dense layers"),
      std::string::npos);
  EXPECT_EQ(read(replaced(qwen, "\"mlp_only_layers\": []", "\"mlp_only_layers\": [0, 1]")).moe.dense_layers, 2);
  EXPECT_NE(first_error(replaced(qwen, "\"head_dim\": 128,", "")).message.find("head_dim"), std::string::npos);
}

}  // namespace
}  // namespace stepsim
