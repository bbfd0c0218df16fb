#pragma once
// Which rank has which coordinates, and who is in a group with whom.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "workloads/layout.h"

namespace stepsim {

/// Sets of ranks that communicate. Every rank is in exactly one group of each kind (perhaps alone).
enum class GroupKind : std::uint8_t {
  tp,         ///< same stage, cp, dp
  cp,         ///< same stage, tp, dp
  dp_cp,      ///< same stage and tp: who reduces the dense gradients
  ep,         ///< exchanges tokens: ep ranks, stride etp, of the stage's ranks in order
  etp,        ///< shards one expert's matrices
  expert_dp,  ///< same stage, ep and etp index: who reduces the experts' gradients
  embedding,  ///< first and last pipeline rank, same tp, cp, dp: tied embeddings
  world,
};
inline constexpr int kGroupKinds = 8;
const char* name_of(GroupKind kind);

struct RankCoords {
  int tp = 0, cp = 0, dp = 0, pp = 0;
  int in_stage = 0;  ///< 0 … tp cp dp - 1, in the layout's order
  int ep = 0, etp = 0, expert_dp = 0;
};

/// Pure arithmetic on a layout whose degrees divide as the layout rules say.
class RankGrid {
 public:
  RankGrid() = default;
  explicit RankGrid(const Layout& layout);

  [[nodiscard]] int ranks() const { return layout_.ranks(); }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] RankCoords coords(RankId rank) const;
  [[nodiscard]] RankId rank(int tp, int cp, int dp, int pp) const;
  /// The rank with the same tp, cp, dp on another pipeline rank.
  [[nodiscard]] RankId on_stage(RankId rank, int pp) const;
  /// Members in ring order; contains `rank`.
  [[nodiscard]] std::vector<RankId> members(GroupKind kind, RankId rank) const;
  /// Size of every group of a kind (embedding: 2, or 1 where pp == 1 or the rank is on neither end).
  [[nodiscard]] int group_size(GroupKind kind) const;

 private:
  [[nodiscard]] RankId from_stage_index(int in_stage, int pp) const;
  [[nodiscard]] std::vector<RankId> embedding_members(RankId of, int pp) const;
  Layout layout_;
  std::array<int, kAxes> stride_{};  ///< of tp, cp, dp, pp in the rank number (ep has none of its own)
};

}  // namespace stepsim
