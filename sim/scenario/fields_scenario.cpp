// The field table of the file as a whole.

#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

/// `layouts:` — each entry is checked by itself here and read again, over `layout` and `workload`, for its variant.
Rule<std::vector<YamlNode>> variants_rule() {
  const auto list = rules::list_of(rules::section(variant_section()));
  return {list.shape, [list](const YamlNode& node, Reader& reader) -> std::optional<std::vector<YamlNode>> {
            if (!list.read(node, reader)) return std::nullopt;
            return node.items;
          }};
}

/// Exactly one bound for each expectation.
Rule<Expectation> expectation_rule() {
  const Rule<Expectation> plain = rules::section(expect_section());
  return {plain.shape, [plain](const YamlNode& node, Reader& reader) {
            std::optional<Expectation> value = plain.read(node, reader);
            value->where = node.where;
            int bounds = 0;
            for (const char* key : {"equals", "at_least", "at_most", "between"})
              bounds += node.find(key) != nullptr ? 1 : 0;
            if (node.is_map() && bounds != 1)
              reader.error(node, "expect takes exactly one of equals, at_least, at_most and between");
            if (value->between && value->between->first > value->between->second)
              reader.error(node, "between has its lower bound second");
            return value;
          }};
}

template <class V>
auto to(V Scenario::*member) {
  return [member](Draft& draft, V value) { draft.scenario.*member = std::move(value); };
}

void add_parts(Section<Draft>& table) {
  table.add("title", to(&Scenario::title), rules::text(), "shown above the report").note("the file's name");
  table.add("model", to(&Scenario::model), model_rule(), "the model").required();
  table.add("cluster", &Draft::cluster, cluster_rule(), "the cluster").required();
  table.add("layout", &Draft::layout, rules::raw(rules::section(layout_section()).shape), "the layout").otherwise("{}");
  table.add("layouts", &Draft::variants, variants_rule(), "layouts to compare; run takes the first").note("none");
  table.add("workload", &Draft::workload, rules::raw(rules::section(workload_section()).shape), "the step").required();
  table.add("overlap", to(&Scenario::overlap), rules::section(overlap_section()), "axes beside compute")
      .otherwise("{}");
  table
      .add("context_parallel", to(&Scenario::context_parallel), rules::section(context_parallel_section()),
           "context parallelism")
      .otherwise("{}");
  table.add("stack", to(&Scenario::stack), stack_rule(), "software").otherwise("default");
}

void add_studies(Section<Draft>& table) {
  table.add("simulation", to(&Scenario::simulation), rules::section(simulation_section()), "how it is simulated")
      .otherwise("{}");
  table.add("perturb", &Draft::perturb, rules::section(perturb_section()), "what is disturbed").note("nothing");
  table
      .add(
          "stress", [](Draft& draft, StressSpec stress) { draft.scenario.stress = std::move(stress); },
          rules::section(stress_section()), "sweep of the stress command")
      .note("none");
  table.add("search", &Draft::search, rules::section(search_section()), "choices of the search command").note("none");
  table.add("size", &Draft::size, rules::section(size_section()), "questions of the size command").note("none");
  table.add("expect", to(&Scenario::expect), rules::list_of(expectation_rule()), "makes the scenario a test")
      .note("none");
  table
      .add("measured", to(&Scenario::measured), rules::list_of(rules::section(measured_section())),
           "published measurements")
      .note("none");
}

}  // namespace

const Section<Draft>& scenario_section() {
  static const Section<Draft> kTable = [] {
    Section<Draft> table("scenario", "A scenario file.");
    add_parts(table);
    add_studies(table);
    return table;
  }();
  return kTable;
}

}  // namespace stepsim
