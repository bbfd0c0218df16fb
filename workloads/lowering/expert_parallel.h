#pragma once
// EP: a MoE layer. Each rank routes its tokens, sends a copy to each of their experts (all-to-all), computes the
// experts that it holds, and gets the results back.

#include "workloads/lowering/pass_context.h"

namespace stepsim {

/// Norm, router, dispatch, grouped FFN, combine; shared experts beside the dispatch where EP may overlap. Dispatch and
/// combine send tokens x top_k x hidden x element x (ep-1)/ep bytes each (physics.md).
void moe_forward(const PassContext& ctx);
void moe_backward(const PassContext& ctx);

}  // namespace stepsim
