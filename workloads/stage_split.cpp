#include "workloads/stage_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "workloads/divisors.h"
#include "workloads/layout_rules.h"

namespace stepsim {

namespace {

int stage_count(const Layout& layout) { return layout.pp * layout.virtual_stages; }

/// What takes a place in the split: layers, and with embedding_as_layer the embedding and the loss.
int places(const ModelSpec& model, const Layout& layout) { return model.layers + (layout.embedding_as_layer ? 2 : 0); }

std::string what_splits(const ModelSpec& model, const Layout& layout) {
  if (!layout.embedding_as_layer) return fmt::format("{} layers", model.layers);
  return fmt::format("{} layers + embedding + loss = {}", model.layers, places(model, layout));
}

/// The stages that hold one place less, when `places` is no multiple of the stages: last, first, last but one, second …
/// The ends also hold the loss and the embedding.
std::vector<int> balanced_places(int total, int stages) {
  std::vector<int> result(static_cast<std::size_t>(stages), (total + stages - 1) / stages);
  const int shorter = (stages - total % stages) % stages;
  for (int i = 0; i < shorter; ++i) {
    const int stage = i % 2 == 0 ? stages - 1 - i / 2 : i / 2;
    --result[static_cast<std::size_t>(stage)];
  }
  return result;
}

SplitProblem listed_problem(const ModelSpec& model, const Layout& layout) {
  const std::vector<int>& listed = layout.stage_layers;
  const std::size_t stages = static_cast<std::size_t>(stage_count(layout));
  const std::string right = fmt::format("list {} numbers (pp {} x virtual_stages {}) that sum to {}", stages, layout.pp,
                                        layout.virtual_stages, model.layers);
  const std::string key = "layout.stage_layers";
  if (listed.size() != stages)
    return {key, fmt::format("stage_layers has {} entries for {} stages", listed.size(), stages), right};
  for (std::size_t i = 0; i < stages; ++i) {
    const bool end = i == 0 || i + 1 == stages;
    if (listed[i] > 0 || (listed[i] == 0 && end && layout.embedding_as_layer)) continue;
    return {key, fmt::format("stage {} has {} layers", i, listed[i]),
            "every stage needs a layer; the first and the last may be empty with embedding_as_layer: true"};
  }
  const std::int64_t sum = std::accumulate(listed.begin(), listed.end(), std::int64_t{0});
  if (sum != model.layers)
    return {key, fmt::format("stage_layers sums to {}, the model has {} layers", sum, model.layers), right};
  return {};
}

}  // namespace

SplitProblem stage_split_problem(const ModelSpec& model, const Layout& layout) {
  if (layout.split == StageSplit::listed) return listed_problem(model, layout);
  const int stages = stage_count(layout), total = places(model, layout);
  const std::string size =
      fmt::format("{} stages (pp {} x virtual_stages {})", stages, layout.pp, layout.virtual_stages);
  if (total < stages) {
    return {"layout.pp", fmt::format("{} are fewer than {}", what_splits(model, layout), size),
            fmt::format("pp x virtual_stages can be at most {}", total)};
  }
  if (layout.split == StageSplit::balanced || total % stages == 0) return {};
  return {"layout.pp", fmt::format("{} do not split evenly over {}", what_splits(model, layout), size),
          fmt::format("`stage_layers: balanced`, a list of {} numbers that sum to {}, or pp x virtual_stages one of {}",
                      stages, model.layers, divisors_text(total))};
}

std::vector<int> layers_of_stages(const ModelSpec& model, const Layout& layout) {
  if (layout.split == StageSplit::listed) return layout.stage_layers;
  std::vector<int> result = balanced_places(places(model, layout), stage_count(layout));
  if (layout.embedding_as_layer) --result.front(), --result.back();
  return result;
}

}  // namespace stepsim
