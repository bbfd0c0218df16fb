// The field tables of what is asked of a scenario: simulation options, stress, search, size, expect, measured.

#include <limits>

#include "sim/engine/collectives/algorithm.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();

Rule<bool> auto_or_off() { return rules::choice<bool>({{"auto", true}, {"off", false}}); }

struct JitterSweep {
  std::vector<double> sigma;
  std::optional<int> seeds;
};

const Section<JitterSweep>& jitter_section() {
  static const Section<JitterSweep> kTable = [] {
    Section<JitterSweep> table("jitter sweep", "Log-normal jitter, several widths and seeds.");
    table
        .add("sigma", &JitterSweep::sigma, rules::one_or_more(rules::percentage(0, 2)),
             "standard deviations of the logarithm")
        .required();
    table.add("seeds", &JitterSweep::seeds, rules::integer(1, 100000), "runs of each point").note("1");
    return table;
  }();
  return kTable;
}

struct SlowRankSweep {
  int rank = 0;
  std::vector<double> slowdown;
};

const Section<SlowRankSweep>& slow_rank_sweep_section() {
  static const Section<SlowRankSweep> kTable = [] {
    Section<SlowRankSweep> table("slow rank sweep", "One slow rank, several slowdowns.");
    table.add("rank", &SlowRankSweep::rank, rules::integer(0, kMaxInt), "which").required();
    table
        .add("slowdown", &SlowRankSweep::slowdown, rules::one_or_more(rules::number(1, 1e6)),
             "its kernels take this many times as long")
        .required();
    return table;
  }();
  return kTable;
}

void set_kernel_jitter(StressSpec& stress, const JitterSweep& sweep) {
  stress.kernel_jitter = sweep.sigma;
  if (sweep.seeds) stress.seeds = *sweep.seeds;
}

void set_hop_jitter(StressSpec& stress, const JitterSweep& sweep) {
  stress.hop_jitter = sweep.sigma;
  if (sweep.seeds) stress.seeds = *sweep.seeds;
}

void set_slow_rank(StressSpec& stress, const SlowRankSweep& sweep) {
  stress.slow_rank = static_cast<std::uint32_t>(sweep.rank);
  stress.slowdown = sweep.slowdown;
}

Section<StressSpec> make_stress() {
  Section<StressSpec> table("stress", "Every key is a dimension of the sweep; lists are crossed.");
  table
      .add("seq_len", &StressSpec::seq_len, rules::one_or_more(rules::integer(1, 1 << 30)),
           "new tokens of each sequence")
      .note("not swept");
  table
      .add("hop_bandwidth", &StressSpec::hop_bandwidth, rules::one_or_more(rules::percentage(0.0001, 100)),
           "share of the nominal bandwidth of the ring's links")
      .note("not swept");
  table
      .add("causal_balance", &StressSpec::causal_balance, rules::one_or_more(causal_balance_rule()),
           "which positions a rank holds")
      .note("not swept");
  table.add("hop_sync", &StressSpec::hop_sync, rules::one_or_more(hop_sync_rule()), "how hops wait for each other")
      .note("not swept");
  table.add("kernel_jitter", set_kernel_jitter, rules::section(jitter_section()), "jitter of kernels")
      .note("not swept");
  table.add("hop_jitter", set_hop_jitter, rules::section(jitter_section()), "jitter of ring hops").note("not swept");
  table.add("slow_rank", set_slow_rank, rules::section(slow_rank_sweep_section()), "one slow rank").note("not swept");
  table
      .add("find", &StressSpec::find,
           rules::one_or_more(rules::choice<std::string>({{"seq_len", "seq_len"}, {"hop_bandwidth", "hop_bandwidth"}})),
           "solve for the value at which the hop stops hiding")
      .note("nothing");
  return table;
}

/// `auto` and the algorithms that can reduce.
std::vector<rules::Choice<std::string>> all_reduce_choices() {
  std::vector<rules::Choice<std::string>> choices{{"auto", "auto"}};
  Comm comm;
  const GroupShape two_by_two{.members = 4, .nodes = 2, .in_node = 2},
      node{.members = 4, .in_node = 4, .in_network = true};
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.fits(comm, two_by_two) || algorithm.fits(comm, node))
      choices.push_back({algorithm.name, algorithm.name});
  }
  return choices;
}

}  // namespace

const Section<SimulationOptions>& simulation_section() {
  static const Section<SimulationOptions> kTable = [] {
    Section<SimulationOptions> table("simulation", "How the run is simulated.");
    table
        .add("fold", &SimulationOptions::fold, auto_or_off(),
             "auto: one actor for each class of equal ranks; off: every rank")
        .otherwise("auto");
    table
        .add("contention", &SimulationOptions::max_min, rules::choice<bool>({{"max_min", true}, {"none", false}}),
             "how flows share links")
        .otherwise("max_min");
    table
        .add(
            "collective_detail", [](SimulationOptions&, bool) {},
            rules::choice<bool>({{"fluid", true}, {"steps", false, false}}),
            "fluid, or message by message (not built yet)")
        .otherwise("fluid");
    table
        .add("all_reduce", &SimulationOptions::all_reduce, rules::choice<std::string>(all_reduce_choices()),
             "algorithm of AllReduce where it fits the group; auto: the fastest of ring, tree and in_network")
        .otherwise("auto");
    table
        .add(
            "extrapolate", [](SimulationOptions&, bool) {}, auto_or_off(),
            "auto: repeating pipeline states may be extrapolated where that is exact")
        .otherwise("auto");
    table
        .add(
            "seed", [](SimulationOptions& options, int seed) { options.seed = static_cast<std::uint64_t>(seed); },
            rules::integer(0, kMaxInt), "of all random draws")
        .otherwise("1");
    table
        .add("host_launch", &SimulationOptions::host_launch,
             rules::choice<HostLaunch>(
                 {{"auto", HostLaunch::auto_}, {"off", HostLaunch::off}, {"always", HostLaunch::always}}),
             "may kernels be late because of the host? auto: not where a CUDA graph runs or the chip is ideal")
        .otherwise("auto");
    return table;
  }();
  return kTable;
}

const Section<StressSpec>& stress_section() {
  static const Section<StressSpec> kTable = make_stress();
  return kTable;
}

const Section<SearchDraft>& search_section() {
  static const Section<SearchDraft> kTable = [] {
    Section<SearchDraft> table("search", "What search may choose from (the command is not built yet).");
    const auto degrees = rules::one_or_more(rules::integer(1, 1 << 16));
    for (const auto& [key, member] : {std::pair{"tp", &SearchDraft::tp},
                                      {"cp", &SearchDraft::cp},
                                      {"pp", &SearchDraft::pp},
                                      {"dp", &SearchDraft::dp},
                                      {"ep", &SearchDraft::ep},
                                      {"virtual_stages", &SearchDraft::virtual_stages},
                                      {"micro_batch", &SearchDraft::micro_batch}}) {
      table.add(key, member, degrees, "values to try").note("as in layout and workload");
    }
    table.add("recompute", &SearchDraft::recompute, rules::one_or_more(recompute_rule()), "values to try")
        .note("as in workload");
    table.add("zero_stage", &SearchDraft::zero_stage, rules::one_or_more(rules::integer(0, 3)), "values to try")
        .note("as in workload");
    table
        .add("sequence_parallel", &SearchDraft::sequence_parallel, rules::one_or_more(rules::boolean()),
             "values to try")
        .note("as in layout");
    table
        .add(
            "critical_batch",
            [](SearchDraft& search, rules::Tokens tokens) { search.critical_batch_tokens = tokens.count; },
            rules::tokens(), "past it DP is told to stop")
        .note("none");
    return table;
  }();
  return kTable;
}

const Section<SizeDraft>& size_section() {
  static const Section<SizeTargets> kTargets = [] {
    Section<SizeTargets> table("targets", "Latencies to meet.");
    table.add("ttft", &SizeTargets::ttft, rules::time(), "time to the first token").note("none");
    table.add("tpot", &SizeTargets::tpot, rules::time(), "time of each further token").note("none");
    return table;
  }();
  static const Section<SizeDraft> kTable = [] {
    Section<SizeDraft> table("size", "What to size for (the command is not built yet).");
    table.add("context_len", &SizeDraft::context_len, rules::one_or_more(rules::integer(1, 1 << 30)), "contexts")
        .note("the workload's");
    table.add("batch", &SizeDraft::batch, rules::one_or_more(rules::integer(1, 1 << 30)), "batches")
        .note("the workload's");
    table.add("targets", &SizeDraft::targets, rules::section(kTargets), "latencies to meet").note("none");
    table
        .add("memory_overlap", &SizeDraft::memory_overlap,
             rules::one_or_more(rules::choice<std::string>({{"max", "max"}, {"sum", "sum"}})),
             "kernel time: max or sum of its memory and compute time")
        .note("max");
    return table;
  }();
  return kTable;
}

namespace {

struct Tolerance {
  double value = 0;
  bool relative = false;
};

Rule<Tolerance> tolerance_rule() {
  const Rule<double> absolute = rules::number(0, std::numeric_limits<double>::max());
  const Rule<double> share = rules::percentage(0, 1000);
  return {Shape{.kind = Shape::Kind::any_of, .parts = {absolute.shape, share.shape}},
          [absolute, share](const YamlNode& node, Reader& reader) -> std::optional<Tolerance> {
            const bool relative = node.is_scalar() && node.text.find('%') != std::string::npos;
            const std::optional<double> value = (relative ? share : absolute).read(node, reader);
            return value ? std::optional(Tolerance{*value, relative}) : std::nullopt;
          }};
}

void set_tolerance(Expectation& expectation, Tolerance tolerance) {
  expectation.tolerance = tolerance.value;
  expectation.relative = tolerance.relative;
}

}  // namespace

const Section<Expectation>& expect_section() {
  static const Section<Expectation> kTable = [] {
    Section<Expectation> table("expect",
                               "A value that the run must reach; exit status 3 where it does not. Takes exactly one of "
                               "equals, at_least, at_most, between.");
    table.add("metric", &Expectation::metric, rules::text(), "a name of the JSON output; parts are joined by dots")
        .required();
    table.add("equals", &Expectation::equals, rules::any_number(), "the value, within the tolerance").note("none");
    table.add("at_least", &Expectation::at_least, rules::any_number(), "lower bound").note("none");
    table.add("at_most", &Expectation::at_most, rules::any_number(), "upper bound").note("none");
    table
        .add(
            "between",
            [](Expectation& e, const std::vector<double>& ends) {
              e.between = {ends.front(), ends.back()};
            },
            rules::pair_of(rules::any_number()), "[lower, upper]")
        .note("none");
    table.add("tolerance", set_tolerance, tolerance_rule(), "absolute in the metric's unit, or relative with %")
        .otherwise("0");
    return table;
  }();
  return kTable;
}

const Section<Measurement>& measured_section() {
  static const Section<Measurement> kTable = [] {
    Section<Measurement> table("measured", "What a real machine took; printed beside what was simulated.");
    table.add("metric", &Measurement::metric, rules::text(), "a name of the JSON output").required();
    table.add("value", &Measurement::value, rules::any_number(), "in the metric's unit").required();
    table.add("source", &Measurement::source, rules::text(), "where it was published").note("none");
    return table;
  }();
  return kTable;
}

}  // namespace stepsim
