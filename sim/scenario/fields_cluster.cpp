// The field tables of a cluster: levels or a graph, and how it is sized.

#include <fmt/format.h>

#include <utility>

#include "sim/scenario/fields.h"
#include "sim/scenario/reference.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

constexpr int kMaxMembers = 1 << 20;

const Rule<LevelKind>& level_kind_rule() {
  static const Rule<LevelKind> kRule = rules::choice<LevelKind>({{"switch", LevelKind::switched},
                                                                 {"ring", LevelKind::ring},
                                                                 {"mesh", LevelKind::mesh},
                                                                 {"torus", LevelKind::torus},
                                                                 {"full", LevelKind::full},
                                                                 {"rail", LevelKind::rail}});
  return kRule;
}

Section<LevelSpec> make_level() {
  Section<LevelSpec> table("level",
                           "One level of a cluster, innermost first. Bandwidth and latency are for each device, each "
                           "direction, end to end between two members.");
  table.add("name", &LevelSpec::name, rules::text(), "link class that reports show").note("level0, level1, …");
  table
      .add("size", &LevelSpec::size, rules::integer(1, kMaxMembers),
           "devices of the innermost level, groups of the level below elsewhere")
      .note("outermost level of a library file: set by nodes or accelerators");
  table.add("kind", &LevelSpec::kind, level_kind_rule(), "how the members are wired").otherwise("switch");
  table
      .add("shape", &LevelSpec::shape, rules::list_of(rules::integer(1, kMaxMembers)),
           "mesh and torus: members along each dimension")
      .note("[size]");
  table.add("bandwidth", &LevelSpec::bandwidth, rules::bandwidth(), "nominal, each direction").required();
  table.add("latency", &LevelSpec::latency, rules::time(), "of one message").otherwise("0 s");
  table
      .add("efficiency", &LevelSpec::efficiency, rules::percentage(0.01, 1),
           "share of the bandwidth that large messages reach")
      .otherwise("100 %");
  table
      .add("collective_overhead", &LevelSpec::collective_overhead, rules::time(),
           "start of a collective or transfer that spans this level")
      .otherwise("0 s");
  table
      .add("in_network", &LevelSpec::in_network, rules::boolean(),
           "switches of this level reduce and copy (NVLS): AllReduce may send its payload once")
      .otherwise("false");
  table
      .add("nccl", &LevelSpec::nccl, rules::section(collective_curve_section()),
           "measured collectives of groups inside this level (innermost level)")
      .note("latency, overhead and efficiency stand for all sizes");
  table.add("source", &LevelSpec::source, rules::text(), "where the numbers are from").note("the user's own");
  return table;
}

const Section<LevelSpec>& level_section() {
  static const Section<LevelSpec> kTable = make_level();
  return kTable;
}

/// Several nodes of one kind, as a file lists them.
struct NodeGroup {
  NodeKind kind = NodeKind::accelerator;
  std::vector<YamlNode> names;
};

Section<NodeGroup> make_nodes() {
  Section<NodeGroup> table("nodes", "Nodes of a graph, of one kind.");
  table
      .add("kind", &NodeGroup::kind,
           rules::choice<NodeKind>(
               {{"accelerator", NodeKind::accelerator}, {"nic", NodeKind::nic}, {"switch", NodeKind::switch_}}),
           "what they are")
      .required();
  table.add("names", &NodeGroup::names, rules::list_of(rules::raw(Shape{.kind = Shape::Kind::text})), "their names")
      .required();
  return table;
}

const Section<NodeGroup>& nodes_section() {
  static const Section<NodeGroup> kTable = make_nodes();
  return kTable;
}

void set_ends(GraphLinkSpec& link, const std::vector<std::string>& ends) {
  link.from = ends.front();
  link.to = ends.back();
}

Section<GraphLinkSpec> make_link() {
  Section<GraphLinkSpec> table(
      "link",
      "A link between two nodes: two directed links unless half duplex. Bandwidth and latency are the link's own.");
  table.add("between", set_ends, rules::pair_of(rules::text()), "names of the two nodes").required();
  table.add("bandwidth", &GraphLinkSpec::bandwidth, rules::bandwidth(), "nominal, each direction").required();
  table
      .add("efficiency", &GraphLinkSpec::efficiency, rules::percentage(0.01, 1),
           "share of it that large messages reach")
      .otherwise("100 %");
  table.add("latency", &GraphLinkSpec::latency, rules::time(), "of one message").otherwise("0 s");
  table.add("class", &GraphLinkSpec::link_class, rules::text(), "link class that reports show").otherwise("link");
  table
      .add("duplex", &GraphLinkSpec::half_duplex, rules::choice<bool>({{"full", false}, {"half", true}}),
           "half: both directions share the bandwidth")
      .otherwise("full");
  return table;
}

const Section<GraphLinkSpec>& link_section() {
  static const Section<GraphLinkSpec> kTable = make_link();
  return kTable;
}

/// A level without `size` has size 0 until the cluster is sized.
Rule<LevelSpec> level_rule() {
  return {rules::section(level_section()).shape, [](const YamlNode& node, Reader& reader) {
            std::optional<LevelSpec> level(std::in_place);
            level->size = 0;
            level->where = node.where;
            level_section().read(*level, node, reader);
            return level;
          }};
}

void add_nodes(ClusterSpec& spec, const std::vector<NodeGroup>& groups) {
  for (const NodeGroup& group : groups) {
    for (const YamlNode& name : group.names) spec.nodes.push_back({name.text, group.kind, name.where});
  }
}

const Section<ClusterSpec>& graph_section() {
  static const Section<ClusterSpec> kTable = [] {
    Section<ClusterSpec> table("graph", "Any cluster, link by link.");
    table.add("nodes", add_nodes, rules::list_of(rules::section(nodes_section())), "nodes by kind").required();
    table.add("links", &ClusterSpec::links, rules::list_of(rules::placed(link_section())), "links").note("none");
    return table;
  }();
  return kTable;
}

void set_graph(ClusterSpec& spec, const ClusterSpec& graph) {
  spec.nodes = graph.nodes;
  spec.links = graph.links;
}

const Section<ClusterSpec>& topology_section() {
  static const Section<ClusterSpec> kTable = [] {
    Section<ClusterSpec> table("topology", "Either levels or a graph.");
    table.add("levels", &ClusterSpec::levels, rules::list_of(level_rule()), "nested levels, innermost first")
        .note("none");
    table.add("graph", set_graph, rules::section(graph_section()), "nodes and links").note("none");
    return table;
  }();
  return kTable;
}

void set_topology(ClusterDraft& draft, const ClusterSpec& topology) {
  draft.spec.levels = topology.levels;
  draft.spec.nodes = topology.nodes;
  draft.spec.links = topology.links;
  draft.has_topology = true;
}

Section<ClusterDraft> make_cluster() {
  Section<ClusterDraft> table("cluster", "A cluster: a named one with its size, or an accelerator and a topology.");
  table
      .add(
          "name", [](ClusterDraft&, const std::string&) {}, rules::text(),
          "library name or path; then exactly one of nodes and accelerators gives the size")
      .note("none");
  table.add("nodes", &ClusterDraft::nodes, rules::integer(1, kMaxMembers), "groups of the outermost level")
      .note("none");
  table.add("accelerators", &ClusterDraft::accelerators, rules::integer(1, 1 << 24), "devices in all").note("none");
  table.add("accelerator", &ClusterDraft::accelerator, accelerator_rule(), "the chip").note("the named cluster's");
  table.add("topology", set_topology, rules::section(topology_section()), "levels or a graph")
      .note("the named cluster's");
  table.add("source", &ClusterDraft::source, rules::text(), "where the numbers are from").note("none");
  return table;
}

void name_levels(ClusterSpec& spec) {
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    if (spec.levels[i].name.empty()) spec.levels[i].name = fmt::format("level{}", i);
  }
}

void read_cluster(ClusterDraft& draft, const YamlNode& node, const std::string& name, Reader& reader);

/// `name: dgx-h100` begins with that file; the keys beside it refine it.
void read_base(ClusterDraft& draft, const YamlNode& node, Reader& reader) {
  const YamlEntry* base = node.find("name");
  if (base == nullptr) return;
  if (!base->value.is_scalar()) return reader.expected(base->value, "a library name or a path");
  read_reference<ClusterDraft>(draft, base->value, LibraryKind::cluster, read_cluster, reader);
  if (node.find("topology") != nullptr) {
    reader.diagnostics.error(node.find("topology")->where, "a named cluster brings its own topology",
                             "leave out name or topology");
  }
}

void read_cluster(ClusterDraft& draft, const YamlNode& node, const std::string& name, Reader& reader) {
  read_base(draft, node, reader);
  cluster_section().read(draft, node, reader);
  if (!name.empty()) draft.spec.name = name;
  name_levels(draft.spec);
}

}  // namespace

const Section<ClusterDraft>& cluster_section() {
  static const Section<ClusterDraft> kTable = make_cluster();
  return kTable;
}

Rule<ClusterDraft> cluster_rule() {
  Rule<ClusterDraft> rule = reference<ClusterDraft>(LibraryKind::cluster, cluster_section().info(), read_cluster);
  return {rule.shape, [rule](const YamlNode& node, Reader& reader) {
            std::optional<ClusterDraft> draft = rule.read(node, reader);
            if (draft) draft->spec.where = node.where;
            return draft;
          }};
}

}  // namespace stepsim
