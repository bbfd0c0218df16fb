#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/scenario/checks.h"
#include "topology/check_cluster.h"
#include "topology/fabric.h"

namespace stepsim {
namespace {

SourceSpan cluster_place(const YamlNode& root, const Reader& reader) { return reader.place("cluster", root.where); }

/// Mesh and torus: the shape gives the size where only one of them is there.
void fill_shapes(ClusterSpec& spec) {
  for (LevelSpec& level : spec.levels) {
    const bool grid = level.kind == LevelKind::mesh || level.kind == LevelKind::torus;
    if (grid && level.shape.empty() && level.size > 0) level.shape = {level.size};
    if (grid && level.size == 0)
      level.size = std::accumulate(level.shape.begin(), level.shape.end(), 1,
                                   [](int a, int b) { return std::min<long long>(1LL << 20, 1LL * a * b); });
  }
}

/// The sizes of all levels but the outermost multiplied.
long long devices_of_node(const ClusterSpec& spec) {
  long long product = 1;
  for (std::size_t i = 0; i + 1 < spec.levels.size(); ++i) product = std::min(product * spec.levels[i].size, 1LL << 40);
  return product;
}

bool size_by_accelerators(ClusterDraft& draft, const YamlNode& root, Reader& reader) {
  std::vector<LevelSpec>& levels = draft.spec.levels;
  const long long inner = devices_of_node(draft.spec);
  if (draft.accelerators % inner == 0) {
    levels.back().size = static_cast<int>(draft.accelerators / inner);
    return true;
  }
  if (draft.accelerators < inner && levels.size() == 2) {  // part of one node
    levels.front().size = draft.accelerators;
    levels.back().size = 1;
    return true;
  }
  reader.diagnostics.error(reader.place("cluster.accelerators", root.where),
                           fmt::format("accelerators {} is no multiple of the {} of a node of {}", draft.accelerators,
                                       inner, draft.spec.name),
                           fmt::format("{} or {} would be right", std::max(1LL, draft.accelerators / inner) * inner,
                                       (draft.accelerators / inner + 1) * inner));
  return false;
}

bool size_named(ClusterDraft& draft, const YamlNode& root, Reader& reader) {
  if ((draft.nodes > 0) == (draft.accelerators > 0)) {
    reader.diagnostics.error(cluster_place(root, reader),
                             fmt::format("cluster '{}' needs exactly one of nodes and accelerators", draft.spec.name),
                             fmt::format("for example {{name: {}, nodes: 4}}", draft.spec.name));
    return false;
  }
  if (draft.accelerators > 0) return size_by_accelerators(draft, root, reader);
  draft.spec.levels.back().size = draft.nodes;
  return true;
}

bool inner_sizes_given(const ClusterSpec& spec, Reader& reader) {
  bool complete = true;
  for (std::size_t i = 0; i + 1 < spec.levels.size(); ++i) {
    if (spec.levels[i].size > 0) continue;
    reader.diagnostics.error(spec.levels[i].where, fmt::format("level '{}' needs the key 'size'", spec.levels[i].name),
                             "only the outermost level of a named cluster may leave it out");
    complete = false;
  }
  return complete;
}

bool refuse_size(const ClusterDraft& draft, const YamlNode& root, Reader& reader) {
  for (const auto& [given, key] :
       {std::pair{draft.nodes > 0, "cluster.nodes"}, {draft.accelerators > 0, "cluster.accelerators"}}) {
    if (!given) continue;
    reader.diagnostics.error(reader.place(key, root.where), "this topology sizes itself",
                             "leave out nodes and accelerators; they size named clusters");
    return false;
  }
  return true;
}

bool has_parts(const ClusterDraft& draft, const YamlNode& root, Reader& reader) {
  if (!draft.accelerator)
    reader.diagnostics.error(cluster_place(root, reader), "cluster needs the key 'accelerator'",
                             "a library name, a path, or a map with peak and memory");
  if (!draft.has_topology)
    reader.diagnostics.error(cluster_place(root, reader), "cluster needs a name, or the key 'topology'",
                             "for example {name: dgx-h100, nodes: 4}");
  return draft.accelerator && draft.has_topology;
}

/// Groups of nodes that links join (union-find; links work in both directions).
class Islands {
 public:
  explicit Islands(const ClusterSpec& spec) {
    for (const GraphNodeSpec& node : spec.nodes) index_.emplace(node.name, index_.size());
    parent_.resize(index_.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const GraphLinkSpec& link : spec.links) {
      if (!is_dead(link, spec)) join(link);
    }
  }
  std::size_t of(const std::string& name) { return root(index_.at(name)); }

 private:
  static bool is_dead(const GraphLinkSpec& link, const ClusterSpec& spec) {
    return std::any_of(spec.faults.begin(), spec.faults.end(), [&](const LinkFault& fault) {
      const auto has = [&](const std::string& name) {
        return std::find(fault.between.begin(), fault.between.end(), name) != fault.between.end();
      };
      return fault.dead && (fault.link_class == link.link_class || (has(link.from) && has(link.to)));
    });
  }
  void join(const GraphLinkSpec& link) {
    const auto from = index_.find(link.from), to = index_.find(link.to);
    if (from != index_.end() && to != index_.end()) parent_[root(from->second)] = root(to->second);
  }
  std::size_t root(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  std::map<std::string, std::size_t> index_;
  std::vector<std::size_t> parent_;
};

/// All accelerators of a graph must reach each other: every step has messages between all ranks.
void check_islands(const ClusterSpec& spec, Reader& reader) {
  Islands islands(spec);
  const GraphNodeSpec* first = nullptr;
  for (const GraphNodeSpec& node : spec.nodes) {
    if (node.kind != NodeKind::accelerator) continue;
    if (first == nullptr) first = &node;
    if (islands.of(node.name) == islands.of(first->name)) continue;
    reader.diagnostics.error(node.where, fmt::format("no links lead from {} to {}", first->name, node.name),
                             "every accelerator must reach every other");
    return;
  }
}

}  // namespace

bool size_cluster(ClusterDraft& draft, const YamlNode& root, Reader& reader) {
  if (!has_parts(draft, root, reader)) return false;
  if (draft.spec.levels.empty()) return refuse_size(draft, root, reader);
  fill_shapes(draft.spec);
  if (!inner_sizes_given(draft.spec, reader)) return false;
  const bool open = draft.spec.levels.back().size == 0;
  return open ? size_named(draft, root, reader) : refuse_size(draft, root, reader);
}

void check_topology(const ClusterSpec& spec, Reader& reader) {
  Diagnostics found;
  if (!spec.levels.empty() &&
      spec.faults.empty()) {  // the names in faults need the fabric; large clusters take a while
    check_cluster(spec, found);
  } else {
    const std::unique_ptr<Fabric> fabric = build_fabric(spec, found);
    if (fabric && spec.levels.empty()) check_islands(spec, reader);
  }
  reader.diagnostics.append(found);
}

}  // namespace stepsim
