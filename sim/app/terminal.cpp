#include "sim/app/terminal.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "sim/base/error.h"

namespace stepsim {
namespace {

bool color_is_welcome() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

}  // namespace

TextStyle stdout_style() { return {.color = isatty(STDOUT_FILENO) != 0 && color_is_welcome()}; }

void set_up_log() {
  const spdlog::color_mode mode = color_is_welcome() ? spdlog::color_mode::automatic : spdlog::color_mode::never;
  spdlog::set_default_logger(spdlog::stderr_color_st("stepsim", mode));
  spdlog::set_pattern("%^%l%$: %v");
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw SimError("can't write to standard output");
}

Progress progress_line() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [mutex = std::make_shared<std::mutex>()](std::size_t done, std::size_t total) {
    const std::lock_guard<std::mutex> lock(*mutex);
    fmt::print(stderr, "\r  {} of {} runs{}", done, total, done == total ? "\r\x1b[K" : "");
    std::fflush(stderr);
  };
}

}  // namespace stepsim
