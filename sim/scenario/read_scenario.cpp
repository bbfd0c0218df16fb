#include "sim/scenario/read_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "sim/base/error.h"
#include "sim/scenario/checks.h"
#include "sim/scenario/fields.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/text_file.h"
#include "topology/fabric.h"

namespace stepsim {
namespace {

/// The entries of `base`, those of `over` that belong to `section` put in their place or added.
template <class T>
YamlNode overridden(const YamlNode& base, const YamlNode& over, const Section<T>& section) {
  YamlNode merged = base;
  for (const YamlEntry& entry : over.entries) {
    if (section.index_of(entry.key) == section.info().fields.size()) continue;
    const auto same = std::find_if(merged.entries.begin(), merged.entries.end(),
                                   [&](const YamlEntry& e) { return e.key == entry.key; });
    if (same != merged.entries.end()) *same = entry;
    if (same == merged.entries.end()) merged.entries.push_back(entry);
  }
  return merged;
}

template <class T>
T read_section(const Section<T>& section, const char* path, const YamlNode& node, const SourceSpan& where,
               Reader& reader) {
  reader.forget_places(path);
  reader.set_place(path, where);
  const Reader::Scope scope(reader, path);
  T value{};
  section.read(value, node, reader);
  return value;
}

/// "tp 8, pp 4, micro_batch 3": the keys of an entry of `layouts:`.
std::string label_of(const YamlNode& variant) {
  std::vector<std::string> parts;
  for (const YamlEntry& entry : variant.entries) {
    if (entry.value.is_scalar()) parts.push_back(entry.key + " " + entry.value.text);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The only variant of a file without `layouts:`.
YamlNode no_overrides() {
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  return node;
}

class ScenarioReader {
 public:
  ScenarioReader(const std::string& path, const LibraryPaths& library) : path_(path), reader_(library) {}

  ScenarioResult read() {
    if (const std::optional<YamlNode> root = load()) read_root(*root);
    return finish();
  }

 private:
  std::optional<YamlNode> load() {
    TextFile file = read_text_file(path_);
    if (!file.text) {
      reader_.diagnostics.error({path_, 0, 0, 1}, file.problem);
      return std::nullopt;
    }
    const std::string& text = reader_.sources[path_] = std::move(*file.text);
    std::optional<YamlNode> root = parse_yaml(text, path_, reader_.diagnostics);
    has_duplicates_ = reader_.diagnostics.has_errors();
    return root;
  }

  void read_root(const YamlNode& root) {
    scenario_section().read(draft_, root, reader_);
    if (!root.is_map()) return;
    Scenario& scenario = draft_.scenario;
    scenario.file = path_;
    if (scenario.title.empty()) scenario.title = std::filesystem::path(path_).stem().string();
    const bool sized =
        root.find("cluster") != nullptr && !reader_.broken("cluster") && size_cluster(draft_.cluster, root, reader_);
    take_cluster(sized);
    if (draft_.variants.empty()) {
      read_variant(no_overrides(), root, sized);
    } else {
      for (const YamlNode& variant : draft_.variants) read_variant(variant, root, sized);
      take_first_variant();
    }
  }

  void take_cluster(bool sized) {
    Scenario& scenario = draft_.scenario;
    ClusterDraft& cluster = draft_.cluster;
    scenario.perturb = draft_.perturb.perturbation;
    for (const auto* faults : {&draft_.perturb.slow_links, &draft_.perturb.dead_links}) {
      cluster.spec.faults.insert(cluster.spec.faults.end(), faults->begin(), faults->end());
    }
    if (cluster.accelerator) scenario.accelerator = *cluster.accelerator;
    scenario.assumptions = scenario.accelerator.assumptions;
    scenario.cluster = cluster.spec;
    if (sized && !reader_.broken("perturb")) check_topology(scenario.cluster, reader_);
  }

  /// Reads layout and workload with the keys of one entry of `layouts:` on top, and checks them.
  void read_variant(const YamlNode& variant, const YamlNode& root, bool sized) {
    Scenario scenario = draft_.scenario;
    const YamlNode layout = overridden(draft_.layout, variant, layout_section());
    const YamlNode workload = overridden(draft_.workload, variant, workload_section());
    const std::ptrdiff_t errors = count_errors();
    scenario.layout = read_section(layout_section(), "layout", layout, place_of("layout", variant, root), reader_);
    if (root.find("workload") != nullptr) {
      scenario.workload =
          read_section(workload_section(), "workload", workload, place_of("workload", variant, root), reader_);
      check_workload_keys(scenario.workload, workload, reader_);
    }
    sections_broken_ = count_errors() != errors;
    if (sized && is_sound(root)) check_variant(scenario, root);
    keep(scenario, variant);
  }

  /// Where a whole section is blamed: the entry of `layouts:`, else the section's key, else the start of the file.
  static SourceSpan place_of(const char* key, const YamlNode& variant, const YamlNode& root) {
    if (variant.where.line > 0 && std::string_view(key) == "layout") return variant.where;
    const YamlEntry* entry = root.find(key);
    return entry != nullptr ? entry->where : root.where;
  }

  [[nodiscard]] std::ptrdiff_t count_errors() const {
    const auto& all = reader_.diagnostics.all();
    return std::count_if(all.begin(), all.end(),
                         [](const Diagnostic& item) { return item.severity == Severity::error; });
  }

  /// Layout rules on half-read sections would blame what is right.
  [[nodiscard]] bool is_sound(const YamlNode& root) const {
    for (const char* key : {"model", "cluster", "layout", "layouts", "workload"}) {
      if (reader_.broken(key)) return false;
    }
    return root.find("model") != nullptr && root.find("workload") != nullptr && !sections_broken_ && !has_duplicates_;
  }

  void check_variant(Scenario& scenario, const YamlNode& root) {
    const std::size_t devices = count_devices(scenario.cluster);
    Reader& reader = reader_;
    const Diagnostics before = std::move(reader.diagnostics);
    reader.diagnostics = {};
    fill_defaults(scenario, devices, root, reader);
    check_layout(scenario, devices, root, reader);
    variant_findings_.append(reader.diagnostics);
    reader.diagnostics = before;
  }

  void keep(const Scenario& scenario, const YamlNode& variant) {
    if (!draft_.variants.empty()) {
      draft_.scenario.layouts.push_back({scenario.layout, scenario.workload, label_of(variant)});
      draft_.scenario.model.max_positions = scenario.model.max_positions;
    } else {
      draft_.scenario = scenario;
    }
  }

  void take_first_variant() {
    draft_.scenario.layout = draft_.scenario.layouts.front().layout;
    draft_.scenario.workload = draft_.scenario.layouts.front().workload;
  }

  ScenarioResult finish() {
    reader_.diagnostics.append(variant_findings_);
    ScenarioResult result{
        .scenario = {}, .diagnostics = without_repeats(reader_.diagnostics), .sources = std::move(reader_.sources)};
    result.diagnostics.sort_by_place();
    if (result.diagnostics.has_errors()) return result;
    if (!reader_.not_built.empty())
      throw NotBuiltError(fmt::format("{}", fmt::join(first_of_each(reader_.not_built), "\n")));
    result.scenario = std::move(draft_.scenario);
    return result;
  }

  /// Keys that several variants share are read for each: their findings are told once.
  static Diagnostics without_repeats(const Diagnostics& all) {
    Diagnostics unique;
    std::set<std::tuple<std::string, int, int, std::string>> seen;
    for (const Diagnostic& item : all.all()) {
      if (!seen.emplace(item.where.file, item.where.line, item.where.column, item.message).second) continue;
      item.severity == Severity::error ? unique.error(item.where, item.message, item.help)
                                       : unique.warning(item.where, item.message, item.help);
    }
    return unique;
  }

  static std::vector<std::string> first_of_each(const std::vector<std::string>& items) {
    std::vector<std::string> unique;
    for (const std::string& item : items) {
      if (std::find(unique.begin(), unique.end(), item) == unique.end()) unique.push_back(item);
    }
    return unique;
  }

  std::string path_;
  Reader reader_;
  Draft draft_;
  bool has_duplicates_ = false;   ///< which of two values is meant can't be known
  bool sections_broken_ = false;  ///< layout or workload of the variant that was read last
  Diagnostics variant_findings_;  ///< of the layout rules, which run on variants whose keys are all sound
};

/// A reference to a library file, as a scenario would write it.
YamlNode named(const std::string& name) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = name;
  return node;
}

template <class T>
std::optional<T> read_named(const LibraryPaths& library, const Rule<T>& rule, const std::string& name,
                            Diagnostics& diagnostics) {
  Reader reader(library);
  std::optional<T> value = rule.read(named(name), reader);
  diagnostics.append(reader.diagnostics);
  if (reader.diagnostics.has_errors()) return std::nullopt;
  return value;
}

}  // namespace

ScenarioResult read_scenario(const std::string& path, const LibraryPaths& library) {
  return ScenarioReader(path, library).read();
}

std::string render_all(const ScenarioResult& result) {
  std::string text;
  for (const Diagnostic& item : result.diagnostics.all()) {
    const auto source = result.sources.find(item.where.file);
    text += render(item, source == result.sources.end() ? std::string_view() : std::string_view(source->second));
  }
  return text;
}

Diagnostics check_library_file(const LibraryPaths& library, LibraryKind kind, const std::string& name) {
  Diagnostics diagnostics;
  switch (kind) {
    case LibraryKind::model:
      read_named(library, model_rule(), name, diagnostics);
      break;
    case LibraryKind::accelerator:
      read_named(library, accelerator_rule(), name, diagnostics);
      break;
    case LibraryKind::cluster:
      read_named(library, cluster_rule(), name, diagnostics);
      break;
    case LibraryKind::stack:
      read_named(library, stack_rule(), name, diagnostics);
      break;
  }
  return diagnostics;
}

std::optional<ModelSpec> read_library_model(const LibraryPaths& library, const std::string& name,
                                            Diagnostics& diagnostics) {
  return read_named(library, model_rule(), name, diagnostics);
}

std::optional<Accelerator> read_library_accelerator(const LibraryPaths& library, const std::string& name,
                                                    Diagnostics& diagnostics) {
  return read_named(library, accelerator_rule(), name, diagnostics);
}

}  // namespace stepsim
