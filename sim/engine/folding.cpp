#include "sim/engine/folding.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "sim/base/error.h"
#include "sim/engine/colouring.h"

namespace stepsim {
namespace {

/// Numbers classes in the order in which they are first met.
class ClassNumbers {
 public:
  std::uint32_t of(Colour colour) {
    return numbers_.try_emplace(colour, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<Colour, std::uint32_t> numbers_;
};

double slowdown_of(std::uint32_t rank, const Perturbation& perturbation) {
  double slowdown = 1;
  for (const SlowRank& slow : perturbation.slow_ranks) {
    if (slow.rank == rank) slowdown *= slow.slowdown;
  }
  return slowdown;
}

class Folder {
 public:
  Folder(const StepGraph& graph, const Fabric& fabric, const Traffic& traffic, const Perturbation& perturbation)
      : graph_(graph), fabric_(fabric), traffic_(traffic), perturbation_(perturbation) {}

  Folding run(bool every_rank_alone) {
    colours_ = refine(first_colours(every_rank_alone), traffic_);
    number_ranks();
    number_links();
    number_bundles();
    attach_bundles();
    return std::move(folding_);
  }

 private:
  Colouring first_colours(bool every_rank_alone) const {
    Colouring start;
    for (std::uint32_t r = 0; r < graph_.program_of_rank.size(); ++r) {
      const Colour own = mix(graph_.program_of_rank[r].index(), every_rank_alone ? r + 1 : 0);
      start.ranks.push_back(mix(own, std::bit_cast<std::uint64_t>(slowdown_of(r, perturbation_))));
    }
    for (const FlowBundle& bundle : traffic_.bundles) start.bundles.push_back(first_colour(bundle));
    for (std::size_t l = 0; l < fabric_.links(); ++l) {
      start.links.push_back(mix(0x11, static_cast<std::uint64_t>(fabric_.capacity(LinkId(l)))));
    }
    return start;
  }

  static Colour first_colour(const FlowBundle& b) {
    Colour colour = mix(b.key_number, b.members.size());
    for (const SimTime latency : {b.trip_latency, b.hop_latency, b.overhead}) {
      colour = mix(colour, static_cast<std::uint64_t>(latency.ps()));
    }
    for (const std::int64_t size : {b.flows_per_member, b.shape.nodes, b.shape.in_node}) {
      colour = mix(colour, static_cast<std::uint64_t>(size));
    }
    return colour;
  }

  void number_ranks() {
    ClassNumbers numbers;
    for (std::uint32_t r = 0; r < graph_.program_of_rank.size(); ++r) {
      const std::uint32_t actor = numbers.of(colours_.ranks[r]);
      folding_.actor_of_rank.push_back(actor);
      if (actor == folding_.actors.size()) folding_.actors.push_back(new_actor(r));
      folding_.actors[actor].ranks.push_back(RankId(r));
    }
  }

  [[nodiscard]] ActorClass new_actor(std::uint32_t rank) const {
    ActorClass actor;
    actor.program = graph_.program_of_rank[rank];
    actor.slowdown = slowdown_of(rank, perturbation_);
    actor.bundle_of_key.assign(traffic_.keys.size(), kNone);
    actor.group.fill(kNone);
    return actor;
  }

  void number_links() {
    ClassNumbers numbers;
    link_class_.assign(fabric_.links(), kNone);
    for (const FlowBundle& bundle : traffic_.bundles) {
      for (const LinkUse& use : bundle.links) number_link(use.link, numbers);
    }
  }

  void number_link(std::uint32_t link, ClassNumbers& numbers) {
    if (link_class_[link] != kNone) return;
    const std::uint32_t number = numbers.of(colours_.links[link]);
    link_class_[link] = number;
    if (number == folding_.link_capacity.size()) {
      folding_.link_capacity.push_back(fabric_.capacity(LinkId(link)));
      links_in_class_.push_back(0);
    }
    ++links_in_class_[number];
  }

  void number_bundles() {
    ClassNumbers numbers;
    for (std::size_t b = 0; b < traffic_.bundles.size(); ++b) {
      const std::uint32_t number = numbers.of(colours_.bundles[b]);
      bundle_class_.push_back(number);
      if (number == folding_.bundles.size()) folding_.bundles.push_back(new_bundle(traffic_.bundles[b]));
      add_links(number, traffic_.bundles[b]);
    }
    for (BundleClass& bundle : folding_.bundles) spread_over_links(bundle);
  }

  [[nodiscard]] BundleClass new_bundle(const FlowBundle& from) const {
    BundleClass bundle{from.key,
                       from.shape,
                       {},
                       kEndless,
                       static_cast<std::int64_t>(from.members.size()),
                       from.flows_per_member,
                       from.trip_latency,
                       from.hop_latency,
                       from.overhead,
                       {}};
    for (const LinkUse& use : from.links) {
      bundle.solo_rate = std::min(bundle.solo_rate, std::max<Rate>(1, fabric_.capacity(LinkId(use.link)) / use.flows));
    }
    for (const RankId member : from.members) {
      const std::uint32_t actor = folding_.actor_of_rank[member.index()];
      if (from.key.pattern == FlowPattern::pair || !contains(bundle.actors, actor)) bundle.actors.push_back(actor);
    }
    return bundle;
  }

  static bool contains(const std::vector<std::uint32_t>& items, std::uint32_t item) {
    return std::find(items.begin(), items.end(), item) != items.end();
  }

  /// First the flows on all links of a class together …
  void add_links(std::uint32_t number, const FlowBundle& from) {
    auto& links = folding_.bundles[number].links;
    for (const LinkUse& use : from.links) {
      const std::uint32_t link = link_class_[use.link];
      const auto at = std::find_if(links.begin(), links.end(), [&](const LinkUse& u) { return u.link == link; });
      if (at == links.end()) {
        links.push_back({link, use.flows});
      } else {
        at->flows += use.flows;
      }
    }
  }

  /// … then divided among them: at the fixed point each carries the same.
  void spread_over_links(BundleClass& bundle) const {
    for (LinkUse& use : bundle.links) {
      const std::int64_t links = links_in_class_[use.link];
      sim_assert(
          use.flows % links == 0,
          "folding: links of one class carry different numbers of flows; run with fold: off and report this scenario");
      use.flows /= links;
    }
  }

  void attach_bundles() {
    for (ActorClass& actor : folding_.actors) {
      const std::uint32_t rank = actor.ranks.front().index();
      for (const std::uint32_t b : traffic_.bundles_of_rank.row(rank)) attach(actor, rank, b);
    }
  }

  void attach(ActorClass& actor, std::uint32_t rank, std::uint32_t b) {
    const FlowBundle& bundle = traffic_.bundles[b];
    if (bundle.key.pattern != FlowPattern::pair) {
      actor.bundle_of_key[bundle.key_number] = bundle_class_[b];
      if (bundle.key.pattern == FlowPattern::scalar) {
        actor.group[static_cast<std::size_t>(bundle.key.group)] = bundle_class_[b];
      }
      return;
    }
    const bool sender = bundle.members[0].index() == rank;
    if (bundle.key.peer_stage >= 0) {
      if (sender) actor.send_bundle[bundle.key.peer_stage] = bundle_class_[b];
      return;
    }
    if (sender) actor.hop_out = bundle_class_[b];
    if (bundle.members[1].index() == rank) actor.hop_in = bundle_class_[b];
  }

  const StepGraph& graph_;
  const Fabric& fabric_;
  const Traffic& traffic_;
  const Perturbation& perturbation_;
  Colouring colours_;
  std::vector<std::uint32_t> link_class_, bundle_class_;
  std::vector<std::int64_t> links_in_class_;
  Folding folding_;
};

}  // namespace

Folding fold(const StepGraph& graph, const Fabric& fabric, const Traffic& traffic, const SimulationOptions& options,
             const Perturbation& perturbation) {
  const bool jitter = perturbation.kernel_jitter_sigma > 0 || perturbation.hop_jitter_sigma > 0;
  return Folder(graph, fabric, traffic, perturbation).run(jitter || !options.fold);
}

}  // namespace stepsim
