#pragma once
// A scenario file, typed and checked.

#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/engine/accelerator.h"
#include "sim/engine/options.h"
#include "topology/cluster_spec.h"
#include "workloads/layout.h"
#include "workloads/model.h"
#include "workloads/workload.h"

namespace stepsim {

/// `expect:` — turns a scenario into a test.
struct Expectation {
  std::string metric;
  std::optional<double> equals, at_least, at_most;
  std::optional<std::pair<double, double>> between;
  double tolerance = 0;
  bool relative = false;  ///< tolerance is a share of `equals`
  SourceSpan where;
};

/// `measured:` — what a real machine took.
struct Measurement {
  std::string metric;
  double value = 0;
  std::string source;
};

struct StressSpec {
  std::vector<int> seq_len;           ///< empty: not swept
  std::vector<double> hop_bandwidth;  ///< factor of the nominal bandwidth of the ring's links
  std::vector<CausalBalance> causal_balance;
  std::vector<HopSync> hop_sync;
  std::vector<double> kernel_jitter, hop_jitter;  ///< sigma
  int seeds = 1;
  std::optional<std::uint32_t> slow_rank;
  std::vector<double> slowdown;
  std::vector<std::string> find;  ///< seq_len, hop_bandwidth
};

/// One entry of `layouts:`: a layout and the workload keys that it overrides.
struct LayoutVariant {
  Layout layout;
  Workload workload;
  std::string label;
};

struct Scenario {
  std::string file;
  std::string title;
  ModelSpec model;
  Accelerator accelerator;
  ClusterSpec cluster;
  Layout layout;  ///< of the first variant where the file has `layouts:`
  Workload workload;
  Overlap overlap;
  ContextParallel context_parallel;
  Stack stack;
  SimulationOptions simulation;
  Perturbation perturb;                ///< slow and dead links are in cluster.faults
  std::vector<LayoutVariant> layouts;  ///< empty unless the file has `layouts:`
  std::optional<StressSpec> stress;
  std::vector<Expectation> expect;
  std::vector<Measurement> measured;
  std::vector<std::string> assumptions;  ///< defaults taken for numbers that have no source
};

}  // namespace stepsim
