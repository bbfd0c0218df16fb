#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/scenario/checks.h"
#include "sim/scenario/step_spec.h"
#include "workloads/layout_rules.h"

namespace stepsim {
namespace {

/// Which kinds of step a key of `workload` is for.
struct KeyUse {
  const char* key;
  bool training, prefill, decode;
  bool required;
};
constexpr std::array kKeyUses{KeyUse{"seq_len", true, true, false, true},
                              KeyUse{"global_batch", true, false, false, true},
                              KeyUse{"micro_batch", true, false, false, false},
                              KeyUse{"batch", false, true, true, true},
                              KeyUse{"cached_len", false, true, false, false},
                              KeyUse{"context_len", false, false, true, true},
                              KeyUse{"redundant_experts", false, true, true, false},
                              KeyUse{"schedule", true, false, false, false},
                              KeyUse{"recompute", true, false, false, false},
                              KeyUse{"zero_stage", true, false, false, false},
                              KeyUse{"optimizer", true, false, false, false},
                              KeyUse{"gradient_dtype", true, false, false, false},
                              KeyUse{"gradient_sync", true, false, false, false}};

const char* kind_name(WorkloadKind kind) {
  static constexpr std::array<const char*, 3> kNames{"training", "prefill", "decode"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_used(const KeyUse& use, WorkloadKind kind) {
  if (kind == WorkloadKind::training) return use.training;
  return kind == WorkloadKind::prefill ? use.prefill : use.decode;
}

std::int64_t ranks_of_replica(const Layout& layout) { return std::int64_t{layout.tp} * layout.cp * layout.pp; }

/// The accelerator must have a peak for every dtype that kernels compute in.
void check_dtypes(const Scenario& scenario, const YamlNode& root, Reader& reader) {
  const Precision& precision = scenario.workload.precision;
  std::vector<std::string_view> known;
  for (const auto& [dtype, peak] : scenario.accelerator.peak) known.push_back(name_of(dtype));
  std::vector<Dtype> missing;
  for (const Dtype dtype : {precision.gemm, precision.ffn, precision.attention}) {
    if (scenario.accelerator.peak.count(dtype) == 0 && std::count(missing.begin(), missing.end(), dtype) == 0)
      missing.push_back(dtype);
  }
  for (const Dtype dtype : missing) {
    reader.diagnostics.error(
        reader.place("workload.precision", root.where),
        fmt::format("accelerator '{}' has no peak for {}", scenario.accelerator.name, name_of(dtype)),
        fmt::format("it has {}", fmt::join(known, ", ")));
  }
}

void check_rank_numbers(const Scenario& scenario, std::size_t devices, const YamlNode& root, Reader& reader) {
  const auto check = [&](std::uint32_t rank, const char* path) {
    if (rank < devices) return;
    reader.diagnostics.error(reader.place(path, root.where), fmt::format("rank {} does not exist", rank),
                             fmt::format("ranks go from 0 to {}", devices - 1));
  };
  for (const SlowRank& slow : scenario.perturb.slow_ranks) check(slow.rank, "perturb.slow_ranks.rank");
  if (scenario.stress && scenario.stress->slow_rank) check(*scenario.stress->slow_rank, "stress.slow_rank.rank");
}

}  // namespace

/// TP splits the dense part of a MoE model; its experts only split with ep and etp, both 1 unless given.
void warn_of_whole_experts(const Scenario& scenario, const YamlNode& root, Reader& reader) {
  const Layout& layout = scenario.layout;
  const bool asked = reader.given("layout.ep") || reader.given("layout.etp");
  if (!scenario.model.has_moe() || layout.tp == 1 || layout.ep * layout.etp > 1 || asked) return;
  reader.diagnostics.warning(
      reader.place("layout.tp", root.where),
      fmt::format("each of the {} TP ranks holds all {} experts whole", layout.tp, scenario.model.moe.experts),
      fmt::format("etp: {} shards them as TP does the rest, ep spreads them over ranks", layout.tp));
}

void check_workload_keys(const Workload& workload, const YamlNode& node, Reader& reader) {
  if (!node.is_map() || !reader.given("workload.kind")) return;
  const char* kind = kind_name(workload.kind);
  for (const KeyUse& use : kKeyUses) {
    const YamlEntry* entry = node.find(use.key);
    const bool used = is_used(use, workload.kind);
    if (entry == nullptr && used && use.required)
      reader.error(node, fmt::format("workload needs the key '{}' for {}", use.key, kind),
                   "it is a whole number, at least 1");
    if (entry != nullptr && !used)
      reader.diagnostics.warning(entry->where, fmt::format("'{}' has no effect in {}", use.key, kind));
  }
}

void fill_defaults(Scenario& scenario, std::size_t devices, const YamlNode& root, Reader& reader) {
  Layout& layout = scenario.layout;
  Workload& workload = scenario.workload;
  const auto all = static_cast<std::int64_t>(devices);
  const std::int64_t replica = ranks_of_replica(layout);
  if (!reader.given("layout.dp")) {
    layout.dp = static_cast<int>(std::max<std::int64_t>(1, all / replica));
    if (all % replica != 0) {
      reader.diagnostics.error(
          reader.place("layout", root.where),
          fmt::format("tp {} x cp {} x pp {} = {} ranks do not fill the {} accelerators of the cluster", layout.tp,
                      layout.cp, layout.pp, replica, devices),
          fmt::format("tp x cp x pp must divide {}; dp then fills the cluster", devices));
    }
  }
  if (!reader.given("layout.sequence_parallel"))
    layout.sequence_parallel = workload.kind == WorkloadKind::training && layout.tp > 1;
  if (!reader.given("workload.schedule")) workload.schedule = layout.virtual_stages > 1 ? "interleaved_1f1b" : "1f1b";
  if (scenario.model.positions == PositionKind::learned && scenario.model.max_positions == 0) {
    scenario.model.max_positions = std::max(workload.seq_len + workload.cached_len, workload.context_len);
  }
}

void check_layout(const Scenario& scenario, std::size_t devices, const YamlNode& root, Reader& reader) {
  const Layout& layout = scenario.layout;
  const bool fits_cluster =
      reader.given("layout.dp") || static_cast<std::int64_t>(devices) % ranks_of_replica(layout) == 0;
  const std::size_t ranks = static_cast<std::size_t>(ranks_of_replica(layout)) * static_cast<std::size_t>(layout.dp);
  for (const LayoutProblem& problem : layout_problems(step_spec(scenario), fits_cluster ? devices : ranks)) {
    reader.diagnostics.error(reader.place(problem.key, root.where), problem.message, problem.help);
  }
  check_dtypes(scenario, root, reader);
  warn_of_whole_experts(scenario, root, reader);
  check_rank_numbers(scenario, devices, root, reader);
}

}  // namespace stepsim
