#include "sim/report/bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stepsim {
namespace {

std::string colored(const std::string& text, int color, const TextStyle& style) {
  if (!style.color || text.empty()) return text;
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", color, text);
}

int clamp_width(double share, int width) {
  return std::isfinite(share) ? std::clamp(static_cast<int>(std::floor(share * width + 1e-9)), 0, width) : 0;
}

/// Largest remainder: letters sum to the rounded sum of the shares.
std::vector<int> letters_of(const std::vector<BarPart>& parts, int width) {
  std::vector<int> letters;
  double sum = 0;
  for (const BarPart& part : parts) {
    letters.push_back(clamp_width(part.share, width));
    sum += part.share;
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto remainder = [&](std::size_t i) { return parts[i].share * width - letters[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b); });
  int left = static_cast<int>(std::lround(std::clamp(sum, 0.0, 1.0) * width)) -
             std::accumulate(letters.begin(), letters.end(), 0);
  for (const std::size_t i : order) {
    if (left <= 0) break;
    ++letters[i];
    --left;
  }
  return letters;
}

}  // namespace

std::string bar(const std::vector<BarPart>& parts, int width, const TextStyle& style) {
  const std::vector<int> letters = letters_of(parts, width);
  std::string text = "[";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += colored(std::string(static_cast<std::size_t>(letters[i]), parts[i].letter), parts[i].color, style);
  }
  const int used = std::accumulate(letters.begin(), letters.end(), 0);
  text.append(static_cast<std::size_t>(std::max(0, width - used)), ' ');
  return text + "]";
}

std::string key_letter(const BarPart& part, const TextStyle& style) {
  return colored(std::string(1, part.letter), part.color, style);
}

std::string heading(const std::string& text, const TextStyle& style) {
  return style.color ? fmt::format("\x1b[1m{}\x1b[0m", text) : text;
}

std::string alarm(const std::string& text, const TextStyle& style) { return colored(text, 196, style); }

}  // namespace stepsim
