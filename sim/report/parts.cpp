#include "sim/report/parts.h"

namespace stepsim {

std::vector<NamedPart> named_parts(const MeanParts& parts) {
  const auto exposed = [&](Axis axis) { return parts.exposed[static_cast<std::size_t>(axis)]; };
  return {{"compute", '#', 34, parts.compute},
          {"exposed tp", 'T', 208, exposed(Axis::tp)},
          {"exposed cp", 'C', 214, exposed(Axis::cp)},
          {"exposed pp", 'P', 220, exposed(Axis::pp)},
          {"exposed dp", 'D', 202, exposed(Axis::dp)},
          {"exposed ep", 'E', 166, exposed(Axis::ep)},
          {"bubble", '.', 245, parts.bubble},
          {"peer wait", 'w', 141, parts.peer_wait},
          {"host", 'h', 39, parts.host}};
}

std::vector<BarPart> bar_parts(const std::vector<NamedPart>& parts, Seconds whole) {
  std::vector<BarPart> bars;
  bars.reserve(parts.size());
  for (const NamedPart& part : parts) {
    bars.push_back({.letter = part.letter, .color = part.color, .share = part.time / whole});
  }
  return bars;
}

}  // namespace stepsim
