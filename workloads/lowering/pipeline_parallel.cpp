#include "workloads/lowering/pipeline_parallel.h"

namespace stepsim {

namespace {

/// The stage that a pass goes to next, or comes from (`ahead` false); -1 beyond the ends.
int neighbour_stage(const StagePlan& plan, const StagePass& pass, bool ahead) {
  const int next = pass.stage + (pass.backward == ahead ? -1 : 1);
  return next >= 0 && next < plan.schedule.stages ? next : -1;
}

/// The rank of that stage, or -1 where there is none or it is this rank (then the order of kernels is all it takes).
int neighbour_rank(const PassContext& ctx, const StagePlan& plan, const StagePass& pass, bool ahead) {
  const int stage = neighbour_stage(plan, pass, ahead);
  if (stage < 0) return -1;
  const int rank = plan.schedule.rank_of[static_cast<std::size_t>(pass.direction)][static_cast<std::size_t>(stage)];
  return rank == ctx.who.pipeline_rank ? -1 : rank;
}

Comm message(const PassContext& ctx, const StagePass& pass, int peer, CommKind kind) {
  Comm comm;
  comm.kind = kind;
  comm.axis = Axis::pp;
  comm.bytes = activation_message_bytes(ctx.dims);
  comm.peer_stage = static_cast<std::int16_t>(peer);
  comm.channel = static_cast<std::uint8_t>(2 * pass.direction + (pass.backward ? 1 : 0));
  comm.name = pass.backward ? "pp_gradients" : "pp_activations";
  return comm;
}

}  // namespace

std::int64_t activation_message_bytes(const Dims& dims) {
  return dims.sequence_parallel ? dims.hidden_bytes / dims.tp : dims.hidden_bytes;
}

void receive_input(const PassContext& ctx, const StagePlan& plan, const StagePass& pass) {
  const int peer = neighbour_rank(ctx, plan, pass, false);
  if (peer >= 0) ctx.emit.comm(message(ctx, pass, peer, CommKind::recv));
}

void send_output(const PassContext& ctx, const StagePlan& plan, const StagePass& pass) {
  const int peer = neighbour_rank(ctx, plan, pass, true);
  if (peer >= 0) ctx.emit.comm_async(message(ctx, pass, peer, CommKind::send));
}

}  // namespace stepsim
