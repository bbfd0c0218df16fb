#pragma once
// A scenario between its YAML and its checked form: what a file said, before sizes and defaults that depend on each
// other.

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/scenario/yaml.h"

namespace stepsim {

struct ClusterDraft {
  ClusterSpec spec;
  std::optional<Accelerator> accelerator;
  bool has_topology = false;
  int nodes = 0, accelerators = 0;  ///< 0: not given
  std::string source;
};

/// Faults come from `perturb` and end in the cluster.
struct PerturbDraft {
  Perturbation perturbation;
  std::vector<LinkFault> slow_links, dead_links;
};

/// An entry of `layouts:` by itself, to check its keys and values.
struct VariantDraft {
  Layout layout;
  Workload workload;
};

/// Checked, kept for the commands that will act on them.
struct SearchDraft {
  std::vector<int> tp, pp, cp, dp, ep, virtual_stages, micro_batch, zero_stage;
  std::vector<Recompute> recompute;
  std::vector<bool> sequence_parallel;
  double critical_batch_tokens = 0;
};
struct SizeTargets {
  std::optional<Seconds> ttft, tpot;
};
struct SizeDraft {
  std::vector<int> context_len, batch;
  SizeTargets targets;
  std::vector<std::string> memory_overlap;
};

struct Draft {
  Scenario scenario;
  ClusterDraft cluster;
  YamlNode layout, workload;  ///< read for each variant
  std::vector<YamlNode> variants;
  PerturbDraft perturb;
  std::optional<SearchDraft> search;
  std::optional<SizeDraft> size;
};

}  // namespace stepsim
