// Does the program keep its promises to scripts: exit status, one document on standard output, errors on standard
// error?

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stepsim {
namespace {

struct Outcome {
  int status = -1;
  std::string out, err;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path folder() {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / ("stepsim_app_" + std::to_string(getpid()));
  std::filesystem::create_directories(path);
  return path;
}

Outcome stepsim(const std::string& arguments) {
  const std::string out = folder() / "out", err = folder() / "err";
  const std::string command = std::string(STEPSIM_BINARY) + " " + arguments + " >" + out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = text_of(out), .err = text_of(err)};
}

std::string file_with(const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder() / name;
  std::ofstream(path) << text;
  return path;
}

std::string study(const std::string& name) { return std::string(STEPSIM_SOURCE_DIR "/scenarios/studies/") + name; }

/// The ideal pipeline with an expectation of the bubble.
std::string ideal_pipeline(const std::string& expect) {
  return "title: t\n"
         "model: {layers: 8, hidden: 1024, ffn: 4096, heads: 8, kv_heads: 8, vocab: 0, mlp: plain, positions: none}\n"
         "cluster:\n"
         "  accelerator: ideal\n"
         "  topology: {levels: [{name: wire, size: 4, kind: switch, bandwidth: inf, latency: 0 s}]}\n"
         "layout: {pp: 4}\n"
         "workload: {kind: training, seq_len: 1024, global_batch: 8, micro_batch: 1, precision: bf16, optimizer: "
         "none}\n" +
         expect;
}

TEST(CommandLine, HelpAndVersion) {
  const Outcome help = stepsim("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("stepsim run scenarios/studies/train-llama3-405b-16k.yaml"), std::string::npos);
  const Outcome version = stepsim("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.rfind("stepsim ", 0), 0u);
}

TEST(CommandLine, WrongUsageExits2) {
  for (const char* arguments : {"", "fly", "run", "run --fast x.yaml", "list dragons", "stress a.yaml b.yaml"}) {
    const Outcome outcome = stepsim(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
  }
}

TEST(CommandLine, WhatIsNotBuiltSaysSo) {
  for (const char* command : {"search", "size", "validate", "calibrate", "topology"}) {
    const Outcome outcome = stepsim(std::string(command) + " x.yaml --top 10");
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find(std::string("stepsim ") + command + " is not built yet"), std::string::npos);
    EXPECT_EQ(outcome.out, "") << command;
  }
  const std::string file = study("ideal-1f1b.yaml");
  EXPECT_NE(stepsim("run " + file + " --html x.html").err.find("stepsim run --html is not built yet"),
            std::string::npos);
  EXPECT_EQ(stepsim("run " + file + " --trace x.json").status, 2);
}

TEST(CommandLine, AWrongScenarioExits1WithAPlace) {
  const std::string file = file_with("wrong.yaml", ideal_pipeline("").replace(0, 5, "titel"));
  const Outcome outcome = stepsim("run " + file);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(file + ":1:1: error: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("title"), std::string::npos);
}

TEST(CommandLine, AllWrongFilesAreTold) {
  const std::string one = file_with("one.yaml", "a: 1\n"), two = file_with("two.yaml", "b: 1\n");
  const Outcome outcome = stepsim("run " + one + " " + study("ideal-1f1b.yaml") + " " + two + " --json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");  // no partial result
  EXPECT_NE(outcome.err.find("one.yaml"), std::string::npos);
  EXPECT_NE(outcome.err.find("two.yaml"), std::string::npos);
}

TEST(CommandLine, AnExpectationThatFailsExits3AndTheReportIsPrinted) {
  const std::string holds =
      file_with("holds.yaml", ideal_pipeline("expect: [{metric: bubble_fraction, at_most: 0.28}]\n"));
  EXPECT_EQ(stepsim("run " + holds).status, 0);
  const std::string fails =
      file_with("fails.yaml", ideal_pipeline("expect: [{metric: bubble_fraction, at_most: 0.27}]\n"));
  const Outcome outcome = stepsim("run " + fails + " --json");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["expect"][0]["holds"], false);
  EXPECT_NE(outcome.err.find("bubble_fraction"), std::string::npos);
}

TEST(CommandLine, AnUnknownMetricIsAnErrorWithItsPlace) {
  const Outcome outcome =
      stepsim("run " + file_with("metric.yaml", ideal_pipeline("expect: [{metric: bubble_fracton, at_most: 0.28}]\n")));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("did you mean 'bubble_fraction'?"), std::string::npos) << outcome.err;
}

TEST(CommandLine, JsonIsOneDocument) {
  const std::string file = study("ideal-1f1b.yaml");
  const Outcome one = stepsim("run --json " + file);
  EXPECT_EQ(one.status, 0);
  EXPECT_TRUE(nlohmann::json::parse(one.out).is_object());
  const Outcome two = stepsim("run --json " + file + " " + file);
  EXPECT_EQ(nlohmann::json::parse(two.out).size(), 2u);
}

TEST(CommandLine, TheSameBytesComeOutAgain) {
  const std::string arguments = "run --json " + study("ideal-1f1b.yaml");
  auto first = nlohmann::json::parse(stepsim(arguments).out), second = nlohmann::json::parse(stepsim(arguments).out);
  first.erase("wall_time_s");
  second.erase("wall_time_s");
  EXPECT_EQ(first.dump(), second.dump());
}

TEST(CommandLine, NoColourWhereNobodyLooks) {
  EXPECT_EQ(stepsim("run " + study("ideal-1f1b.yaml")).out.find('\x1b'), std::string::npos);
}

TEST(CommandLine, ListNamesTheLibrary) {
  const Outcome all = stepsim("list");
  EXPECT_EQ(all.status, 0);
  for (const char* name : {"llama-3.1-405b", "h100-sxm", "dgx-h100", "megatron-2022", "interleaved_1f1b"}) {
    EXPECT_NE(all.out.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(stepsim("list models").out.find("dgx-h100"), std::string::npos);
}

}  // namespace
}  // namespace stepsim
