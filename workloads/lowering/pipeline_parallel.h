#pragma once
// PP: what a virtual stage receives before a pass and sends after it.

#include "workloads/lowering/pass_context.h"
#include "workloads/stage_parameters.h"

namespace stepsim {

/// One pass of a microbatch through a stage. direction 1: DualPipe's microbatches that enter at the last rank.
struct StagePass {
  int stage = 0;
  int direction = 0;
  bool backward = false;
};

/// tokens x hidden x element, 1/tp of it with sequence parallelism.
std::int64_t activation_message_bytes(const Dims& dims);

/// Receives the input of the pass (activations, or the gradient of the output); nothing at the end of the pipeline.
void receive_input(const PassContext& ctx, const StagePlan& plan, const StagePass& pass);
/// Sends what the pass made to the next stage in its direction.
void send_output(const PassContext& ctx, const StagePlan& plan, const StagePass& pass);

}  // namespace stepsim
