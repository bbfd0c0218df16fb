#pragma once
// A parallel layout TP x CP x PP x DP x EP.

#include <string>
#include <vector>

namespace stepsim {

/// The five axes, in the order in which ties of the accounting rule are broken.
enum class Axis : unsigned char { tp, cp, ep, dp, pp };
inline constexpr int kAxes = 5;
const char* name_of(Axis axis);

enum class StageSplit { even, balanced, listed };

/// ranks = tp x cp x pp x dp. An EP group is ep consecutive ranks (stride etp) of a stage's ranks in `order`.
struct Layout {
  int tp = 1, cp = 1, pp = 1, dp = 1, ep = 1, etp = 1;
  int virtual_stages = 1;
  bool sequence_parallel = false;
  StageSplit split = StageSplit::even;
  std::vector<int> stage_layers{};  ///< with `listed`: one entry for each virtual stage, in pipeline order
  bool embedding_as_layer = false;  ///< embedding and loss take a layer's place each in the split
  std::vector<Axis> order{Axis::tp, Axis::cp, Axis::ep, Axis::dp, Axis::pp};  ///< innermost first

  [[nodiscard]] int ranks() const { return tp * cp * pp * dp; }
};

}  // namespace stepsim
