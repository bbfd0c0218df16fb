#include "sim/engine/colouring.h"

#include <algorithm>
#include <bit>

namespace stepsim {
namespace {

/// How many distinct colours there are.
std::size_t distinct(std::vector<Colour> colours) {
  std::sort(colours.begin(), colours.end());
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

/// Sender and receiver play different parts; members of a collective the same one.
std::uint64_t part_of(const FlowBundle& bundle, std::size_t position) {
  return bundle.key.pattern == FlowPattern::pair ? position + 1 : 0;
}

/// One round: everything sees the colours of the round before. Sums make the order of neighbours irrelevant.
class Round {
 public:
  Round(const Colouring& before, const Traffic& traffic)
      : before_(before),
        traffic_(traffic),
        after_(before),
        rank_sum_(before.ranks.size(), 0),
        link_sum_(before.links.size(), 0) {}

  Colouring run() {
    for (std::size_t b = 0; b < traffic_.bundles.size(); ++b) visit(b);
    close(after_.ranks, rank_sum_);
    close(after_.links, link_sum_);
    return std::move(after_);
  }

 private:
  void visit(std::size_t b) {
    const FlowBundle& bundle = traffic_.bundles[b];
    Colour sum = 0;
    for (std::size_t i = 0; i < bundle.members.size(); ++i) {
      const std::uint32_t rank = bundle.members[i].index();
      sum += mix(before_.ranks[rank], part_of(bundle, i));
      rank_sum_[rank] += mix(before_.bundles[b], part_of(bundle, i));
    }
    for (const LinkUse& use : bundle.links) {
      const auto flows = static_cast<std::uint64_t>(use.flows);
      sum += mix(before_.links[use.link], flows + 3);
      link_sum_[use.link] += mix(before_.bundles[b], flows);
    }
    after_.bundles[b] = mix(before_.bundles[b], sum);
  }

  static void close(std::vector<Colour>& colours, const std::vector<Colour>& sums) {
    for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = mix(colours[i], sums[i]);
  }

  const Colouring& before_;
  const Traffic& traffic_;
  Colouring after_;
  std::vector<Colour> rank_sum_, link_sum_;
};

std::size_t classes_of(const Colouring& c) { return distinct(c.ranks) + distinct(c.bundles) + distinct(c.links); }

}  // namespace

Colour mix(Colour colour, std::uint64_t value) {
  std::uint64_t z = colour + 0x9e3779b97f4a7c15ULL + std::rotl(value * 0xd6e8feb86659fd93ULL, 32);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Colouring refine(Colouring start, const Traffic& traffic) {
  std::size_t classes = classes_of(start);
  for (;;) {
    Colouring next = Round(start, traffic).run();
    const std::size_t found = classes_of(next);
    start = std::move(next);
    if (found == classes) return start;
    classes = found;
  }
}

}  // namespace stepsim
