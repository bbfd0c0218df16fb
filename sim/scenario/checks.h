#pragma once
// What keys of several sections must be for each other: sizes, defaults that depend on others, layout rules.

#include "sim/scenario/draft.h"
#include "sim/scenario/reader.h"

namespace stepsim {

/// Gives a named cluster its size; says what is missing or too much. True if the cluster is complete.
bool size_cluster(ClusterDraft& draft, const YamlNode& root, Reader& reader);

/// Builds the fabric once to hear what is wrong with the topology, and looks for devices that no route reaches.
void check_topology(const ClusterSpec& spec, Reader& reader);

/// Keys that the kind of step needs, and those that mean nothing to it.
void check_workload_keys(const Workload& workload, const YamlNode& node, Reader& reader);

/// Degrees and defaults that follow from others: dp fills the cluster, schedule, sequence_parallel, positions.
void fill_defaults(Scenario& scenario, std::size_t devices, const YamlNode& root, Reader& reader);

/// The rules of workloads/layout_rules.h, each at the key to blame; dtypes that the accelerator lacks; ranks named that
/// do not exist.
void check_layout(const Scenario& scenario, std::size_t devices, const YamlNode& root, Reader& reader);

}  // namespace stepsim
