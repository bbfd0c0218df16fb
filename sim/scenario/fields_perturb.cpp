// The field tables of what is disturbed in a run.

#include <limits>

#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

/// Bandwidth after a fault: a share of the nominal one, or an absolute value.
struct FaultBandwidth {
  std::optional<double> share;
  std::optional<BytesPerSecond> absolute;
};

Rule<FaultBandwidth> fault_bandwidth_rule() {
  const Rule<double> share = rules::percentage(0.0001, 1);
  const Rule<BytesPerSecond> absolute = rules::bandwidth();
  return {Shape{.kind = Shape::Kind::any_of, .parts = {share.shape, absolute.shape}},
          [share, absolute](const YamlNode& node, Reader& reader) -> std::optional<FaultBandwidth> {
            FaultBandwidth bandwidth;
            const bool percent = node.is_scalar() && node.text.find('%') != std::string::npos;
            if (percent) bandwidth.share = share.read(node, reader);
            if (!percent) bandwidth.absolute = absolute.read(node, reader);
            return bandwidth;
          }};
}

void set_fault_bandwidth(LinkFault& fault, const FaultBandwidth& bandwidth) {
  fault.bandwidth_factor = bandwidth.share.value_or(1);
  fault.bandwidth = bandwidth.absolute;
}

void add_which(Section<LinkFault>& table) {
  table.add("class", &LinkFault::link_class, rules::text(), "all links of this class").note("one of class and between");
  table.add("between", &LinkFault::between, rules::pair_of(rules::text()), "the link between these two")
      .note("one of class and between");
}

const Section<LinkFault>& slow_link_section() {
  static const Section<LinkFault> kTable = [] {
    Section<LinkFault> table("slow link", "Links that are slower than nominal.");
    add_which(table);
    table
        .add("bandwidth", set_fault_bandwidth, fault_bandwidth_rule(), "share of the nominal bandwidth, or a bandwidth")
        .note("unchanged");
    table.add("latency", &LinkFault::latency, rules::time(), "replaces the link's").note("unchanged");
    return table;
  }();
  return kTable;
}

const Section<LinkFault>& dead_link_section() {
  static const Section<LinkFault> kTable = [] {
    Section<LinkFault> table("dead link", "Links that are gone.");
    add_which(table);
    return table;
  }();
  return kTable;
}

/// A fault names a class or two ends, not both and not neither.
Rule<LinkFault> fault_rule(const Section<LinkFault>& table, bool dead) {
  Rule<LinkFault> plain = rules::placed(table);
  return {plain.shape, [plain, dead](const YamlNode& node, Reader& reader) {
            std::optional<LinkFault> fault = plain.read(node, reader);
            if (fault) fault->dead = dead;
            const bool both = node.find("class") != nullptr, between = node.find("between") != nullptr;
            if (node.is_map() && both == between)
              reader.error(node, "give exactly one of class and between", "class: ib, or between: [gpu0, nvswitch]");
            return fault;
          }};
}

const Section<SlowRank>& slow_rank_section() {
  static const Section<SlowRank> kTable = [] {
    Section<SlowRank> table("slow rank", "A rank whose kernels take longer.");
    table
        .add(
            "rank", [](SlowRank& slow, int rank) { slow.rank = static_cast<std::uint32_t>(rank); },
            rules::integer(0, std::numeric_limits<int>::max()), "which")
        .required();
    table.add("slowdown", &SlowRank::slowdown, rules::number(1, 1e6), "its kernels take this many times as long")
        .required();
    return table;
  }();
  return kTable;
}

struct Sigma {
  double value = 0;
};

const Section<Sigma>& sigma_section() {
  static const Section<Sigma> kTable = [] {
    Section<Sigma> table("jitter", "Log-normal jitter with median 1.");
    table.add("sigma", &Sigma::value, rules::percentage(0, 2), "standard deviation of the logarithm").required();
    return table;
  }();
  return kTable;
}

}  // namespace

const Section<PerturbDraft>& perturb_section() {
  static const Section<PerturbDraft> kTable = [] {
    Section<PerturbDraft> table("perturb", "What is disturbed in the run.");
    table
        .add(
            "slow_ranks", [](PerturbDraft& draft, const auto& ranks) { draft.perturbation.slow_ranks = ranks; },
            rules::list_of(rules::section(slow_rank_section())), "slow ranks")
        .note("none");
    table
        .add("slow_links", &PerturbDraft::slow_links, rules::list_of(fault_rule(slow_link_section(), false)),
             "slow links")
        .note("none");
    table
        .add("dead_links", &PerturbDraft::dead_links, rules::list_of(fault_rule(dead_link_section(), true)),
             "dead links")
        .note("none");
    table
        .add(
            "kernel_jitter",
            [](PerturbDraft& draft, Sigma sigma) { draft.perturbation.kernel_jitter_sigma = sigma.value; },
            rules::section(sigma_section()), "jitter of kernels")
        .note("none");
    table
        .add(
            "hop_jitter", [](PerturbDraft& draft, Sigma sigma) { draft.perturbation.hop_jitter_sigma = sigma.value; },
            rules::section(sigma_section()), "jitter of ring hops")
        .note("none");
    return table;
  }();
  return kTable;
}

}  // namespace stepsim
