#pragma once
// Rings, meshes and tori: links between neighbours along each dimension, each with the level's bandwidth and latency.

#include "topology/levels/level_template.h"

namespace stepsim {

std::unique_ptr<LevelTemplate> make_ring(const LevelSpec& spec, LevelFrame frame);
std::unique_ptr<LevelTemplate> make_mesh(const LevelSpec& spec, LevelFrame frame);
std::unique_ptr<LevelTemplate> make_torus(const LevelSpec& spec, LevelFrame frame);

}  // namespace stepsim
