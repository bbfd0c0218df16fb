#include "workloads/lowering/emitter.h"

#include <utility>

namespace stepsim {

namespace {

OpKind kind_of(const Comm& comm) {
  switch (comm.kind) {
    case CommKind::ring_hop:
      return OpKind::ring_hop;
    case CommKind::send:
      return OpKind::send;
    case CommKind::recv:
      return OpKind::recv;
    default:
      return OpKind::collective;
  }
}

/// Messages of a forward pass move down the pipeline and gradients up; in DualPipe's second direction (channels 2 and
/// 3) the other way round.
bool moves_down(const Comm& comm) { return comm.channel == 0 || comm.channel == 3; }

}  // namespace

bool Emitter::overlaps(Axis axis) const {
  switch (axis) {
    case Axis::tp:
      return overlap_.tp;
    case Axis::cp:
      return overlap_.cp;
    case Axis::ep:
      return overlap_.ep;
    case Axis::dp:
      return overlap_.dp;
    case Axis::pp:
      return overlap_.pp;
  }
  return false;
}

Stream Emitter::stream_of(const Comm& comm) const {
  if (!overlaps(comm.axis)) return Stream::compute;
  switch (comm.axis) {
    case Axis::tp:
      return Stream::tp;
    case Axis::cp:
      return Stream::cp;
    case Axis::ep:
      return Stream::ep;
    case Axis::dp:
      return Stream::dp;
    case Axis::pp:
      break;
  }
  if (comm.kind == CommKind::send) return moves_down(comm) ? Stream::send_down : Stream::send_up;
  if (comm.kind == CommKind::recv) return moves_down(comm) ? Stream::recv_down : Stream::recv_up;
  return Stream::compute;  // the AllReduce of tied embeddings stands at the end of the step
}

Handle Emitter::add(OpKind kind, Stream stream, std::uint32_t what, std::vector<Handle> deps) {
  const Handle id = writer_.new_handle();
  Op op;
  op.kind = kind;
  op.stream = stream;
  op.pass = label_.pass;
  op.chunk = static_cast<std::uint8_t>(label_.chunk);
  op.what = what;
  op.microbatch = static_cast<std::uint16_t>(label_.microbatch);
  op.layer = layer_;
  list_.push_back({op, id, std::move(deps), false});
  return id;
}

Handle Emitter::compute(const Kernel& kernel) {
  last_ = add(OpKind::compute, Stream::compute, tables_.intern(kernel).index(), std::exchange(pending_, {}));
  return last_;
}

void Emitter::comm(const Comm& comm) {
  const Handle id = comm_async(comm);
  pending_.clear();  // it waited for them
  wait(id);
}

Handle Emitter::comm_async(const Comm& comm) {
  const Stream stream = stream_of(comm);
  std::vector<Handle> deps = pending_;
  if (stream != Stream::compute && last_ != kNoHandle && comm.kind != CommKind::recv) deps.push_back(last_);
  return add_comm(comm, stream, std::move(deps));
}

Handle Emitter::comm_after(const Comm& comm, const std::vector<Handle>& after) {
  const Stream stream = stream_of(comm);
  std::vector<Handle> deps;
  for (const Handle handle : after) {
    const bool in_order = stream == Stream::compute && handle == last_;
    if (handle != kNoHandle && !in_order) deps.push_back(handle);
  }
  return add_comm(comm, stream, std::move(deps));
}

Handle Emitter::add_comm(const Comm& comm, Stream stream, std::vector<Handle> deps) {
  const Handle id = add(kind_of(comm), stream, tables_.intern(comm).index(), std::move(deps));
  if (stream != Stream::compute) return id;
  last_ = id;
  return kNoHandle;
}

void Emitter::wait(Handle handle) {
  if (handle != kNoHandle) pending_.push_back(handle);
}

void Emitter::end_segment() {
  if (!list_.empty()) list_.back().ends_segment = true;
}

OpList Emitter::take() {
  last_ = kNoHandle;
  pending_.clear();
  return std::exchange(list_, {});
}

}  // namespace stepsim
