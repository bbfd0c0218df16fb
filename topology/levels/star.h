#pragma once
// Levels with switches: every device has one port, a link up and a link down.

#include "topology/levels/level_template.h"

namespace stepsim {

/// One switch for each group, which every device of the group is joined to.
std::unique_ptr<LevelTemplate> make_switched(const LevelSpec& spec, LevelFrame frame);

/// One switch for each place inside the members: rail k joins device k of every member of its group. A transfer
/// between different places first moves, inside the sender's member, to the device on the target's rail (as NCCL's
/// PXN does). At the innermost level members are devices, so rail and switched are the same.
std::unique_ptr<LevelTemplate> make_rail(const LevelSpec& spec, LevelFrame frame);

}  // namespace stepsim
