#pragma once
// Writes the ops of a pass in host order and keeps track of what each must wait for.

#include <vector>

#include "workloads/lowering/op_list.h"
#include "workloads/lowering/work_tables.h"
#include "workloads/workload.h"

namespace stepsim {

/// Which pass the ops that follow belong to.
struct PassLabel {
  PassKind pass = PassKind::forward;
  int microbatch = 0;
  int chunk = 0;
};

/// Kernels follow each other on the compute stream. A communication runs on its axis's stream where the axis may
/// overlap, else on the compute stream; the next op after `comm` waits for it, after `comm_async` only what calls
/// `wait`.
class Emitter {
 public:
  Emitter(WorkTables& tables, ProgramWriter& writer, const Overlap& overlap)
      : tables_(tables), writer_(writer), overlap_(overlap) {}

  void label(const PassLabel& label) { label_ = label; }
  [[nodiscard]] const PassLabel& label() const { return label_; }
  void layer(int layer) { layer_ = static_cast<std::uint16_t>(layer); }
  void no_layer() { layer_ = kNoLayer; }

  Handle compute(const Kernel& kernel);
  void comm(const Comm& comm);
  /// What to wait for; kNoHandle on the compute stream, whose order sees to it.
  Handle comm_async(const Comm& comm);
  /// As comm_async, but it may start as soon as `after` has ended, whatever was emitted since.
  Handle comm_after(const Comm& comm, const std::vector<Handle>& after);
  /// The next op waits for this one too.
  void wait(Handle handle);
  /// What the next op waits for, beside the order of its stream.
  [[nodiscard]] const std::vector<Handle>& pending() const { return pending_; }
  /// The last op that compute order implies for the next one: what a communication's data comes from.
  [[nodiscard]] Handle last() const { return last_; }
  /// Another microbatch may go on here.
  void end_segment();
  [[nodiscard]] bool overlaps(Axis axis) const;

  /// The ops so far; starts a new list that knows nothing of this one.
  OpList take();

 private:
  [[nodiscard]] Stream stream_of(const Comm& comm) const;
  Handle add_comm(const Comm& comm, Stream stream, std::vector<Handle> deps);
  Handle add(OpKind kind, Stream stream, std::uint32_t what, std::vector<Handle> deps);

  WorkTables& tables_;
  ProgramWriter& writer_;
  const Overlap& overlap_;
  PassLabel label_;
  std::uint16_t layer_ = kNoLayer;
  OpList list_;
  std::vector<Handle> pending_;
  Handle last_ = kNoHandle;
};

}  // namespace stepsim
