// Memory of the stage that needs most, against the capacity of the accelerator.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/format.h"
#include "sim/report/run_sections.h"

namespace stepsim {
namespace {

constexpr int kBarWidth = 60;
constexpr double kLeastShare = 1e-3;  // of the capacity; a bar of less would be empty

struct MemoryKind {
  const char* name;
  char letter;
  int color;
  Bytes bytes;
};

std::vector<MemoryKind> kinds_of(const MemoryUse& use) {
  return {{"weights", 'W', 34, use.weights},     {"gradients", 'G', 208, use.gradients},
          {"optimizer", 'O', 39, use.optimizer}, {"activations", 'A', 220, use.activations},
          {"KV cache", 'K', 141, use.kv_cache},  {"buffers", 'B', 245, use.buffers}};
}

/// Against the capacity; against the total where that is more, or where there is no limit.
std::string memory_bar(const std::vector<MemoryKind>& kinds, Bytes whole, const TextStyle& style) {
  std::vector<BarPart> parts;
  parts.reserve(kinds.size());
  for (const MemoryKind& kind : kinds) {
    parts.push_back({.letter = kind.letter, .color = kind.color, .share = kind.bytes / whole});
  }
  return bar(parts, kBarWidth, style);
}

std::string verdict(const RunResult& run, const TextStyle& style) {
  const Bytes total = run.memory.total();
  const Bytes capacity = run.scenario.accelerator.memory_capacity;
  if (std::isinf(capacity.value())) return fmt::format("{} used, no limit", in_memory(total));
  if (run.fits()) {
    return fmt::format("{} of {} used ({}), {} free", in_memory(total), in_memory(capacity),
                       in_percent(total / capacity), in_memory(capacity - total));
  }
  const std::string missing = fmt::format("DOES NOT FIT: {} ({} bytes) missing", in_memory(total - capacity),
                                          in_thousands(static_cast<std::uint64_t>((total - capacity).value())));
  return fmt::format("{} of {}\n  {}", in_memory(total), in_memory(capacity), alarm(missing, style));
}

std::string legend(const std::vector<MemoryKind>& kinds, const TextStyle& style) {
  std::string text;
  for (const MemoryKind& kind : kinds) {
    if (!(kind.bytes > Bytes(0))) continue;
    const BarPart part{.letter = kind.letter, .color = kind.color, .share = 0};
    text += fmt::format("  {} {:<11}{:>12}\n", key_letter(part, style), kind.name, in_memory(kind.bytes));
  }
  return text;
}

}  // namespace

std::string memory_section(const RunResult& run, const TextStyle& style) {
  const std::vector<MemoryKind> kinds = kinds_of(run.memory);
  const Bytes total = run.memory.total();
  const Bytes capacity = run.scenario.accelerator.memory_capacity;
  const bool scarce = total > capacity * kLeastShare && !std::isinf(capacity.value());
  const Bytes whole = scarce ? std::max(total, capacity) : total;
  const std::string where =
      run.report.stages.size() > 1 ? fmt::format(" (stage {}, the largest)", run.memory_stage) : "";
  std::string text = fmt::format("{}{}: {}\n", heading("Memory of a GPU", style), where, verdict(run, style));
  if (total > Bytes(0)) text += fmt::format("  {}\n", memory_bar(kinds, whole, style));
  return text + legend(kinds, style);
}

}  // namespace stepsim
