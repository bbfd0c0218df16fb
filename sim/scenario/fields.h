#pragma once
// The field tables of all sections. Each is built once, on its first use.

#include "sim/scenario/draft.h"
#include "sim/scenario/field_table.h"

namespace stepsim {

const Section<ModelSpec>& model_section();
const Section<Accelerator>& accelerator_section();
const Section<ClusterDraft>& cluster_section();
const Section<CollectiveCurve>& collective_curve_section();
const Section<Layout>& layout_section();
const Section<VariantDraft>& variant_section();
const Section<Workload>& workload_section();
const Section<Overlap>& overlap_section();
const Section<ContextParallel>& context_parallel_section();
const Section<Stack>& stack_section();
const Section<SimulationOptions>& simulation_section();
const Section<PerturbDraft>& perturb_section();
const Section<StressSpec>& stress_section();
const Section<SearchDraft>& search_section();
const Section<SizeDraft>& size_section();
const Section<Expectation>& expect_section();
const Section<Measurement>& measured_section();
const Section<Draft>& scenario_section();

/// Values that several tables take.
Rule<Recompute> recompute_rule();
Rule<CausalBalance> causal_balance_rule();
Rule<HopSync> hop_sync_rule();

/// A model, accelerator, cluster or stack: a name of the library, a path, or a map.
Rule<ModelSpec> model_rule();
Rule<Accelerator> accelerator_rule();
Rule<ClusterDraft> cluster_rule();
Rule<Stack> stack_rule();

}  // namespace stepsim
