#pragma once
// One transformer layer.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

void layer_forward(const PassContext& ctx, int layer);
/// With the recompute that the workload asks for: `full` runs the layer's forward again, `selective` the attention
/// core.
void layer_backward(const PassContext& ctx, int layer, Recompute recompute);

}  // namespace stepsim
