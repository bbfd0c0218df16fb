#pragma once
// Every pair of members has its own link.

#include "topology/levels/level_template.h"

namespace stepsim {

/// The level's bandwidth is a device's whole egress, so each of its size - 1 links has bandwidth / (size - 1).
std::unique_ptr<LevelTemplate> make_full(const LevelSpec& spec, LevelFrame frame);

}  // namespace stepsim
