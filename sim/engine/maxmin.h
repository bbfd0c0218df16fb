#pragma once
// Max-min fair rates of flows that share links, in exact arithmetic.
//
// n_al flows of activity a cross link l (a whole number); all flows of an activity have one rate x_a. Wanted: rates
// such that sum_a n_al x_a <= C_l on each link, and no x_a can grow without lowering one that is not larger (Bertsekas
// and Gallager, Data Networks, section 6.5.2). Progressive filling: the links with the least remaining capacity per
// unfrozen flow freeze the activities that cross them; repeat with what is left. Shares are compared as exact
// fractions, all tied links freeze together and the rate is rounded down once, so that the result depends on no order,
// and a system of equal parts gives each part the rates of one part alone.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/exact.h"
#include "topology/fabric.h"

namespace stepsim {

/// `flows` flows of an activity cross each link of class `link`.
struct LinkUse {
  std::uint32_t link = 0;
  std::int64_t flows = 0;
};

/// rates[a] for uses[a] (links of one activity, each once, flows > 0). capacity is indexed by link; unlimited links do
/// not limit. An activity that no limited link carries gets kEndless. A positive share is never rounded to zero.
void max_min_rates(std::span<const std::span<const LinkUse>> uses, std::span<const Capacity> capacity,
                   std::vector<Rate>& rates);

/// The rate of an activity alone: min over its links of capacity / flows.
Rate solo_rate(std::span<const LinkUse> uses, std::span<const Capacity> capacity);

}  // namespace stepsim
