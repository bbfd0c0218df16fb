#pragma once
// DP: gradients that replicas reduce, weights that ZeRO gathers (Rajbhandari 2020, arXiv 1910.02054), and the
// optimizer.

#include <cstddef>
#include <vector>

#include "workloads/lowering/pass_context.h"
#include "workloads/stage_parameters.h"

namespace stepsim {

/// Parameters of one part of a stage on this rank: embedding, a layer, or the head.
struct ParameterUnit {
  double dense = 0, experts = 0;
};

/// Units of a stage in forward order: [embedding], layers, [last norm and output projection].
std::vector<ParameterUnit> stage_units(const StepSpec& spec, const StagePlan& plan, int stage);

/// Synchronisation of one rank's parameters over a step. Gradients leave in buckets of whole units, in backward order,
/// when the stack's bucket size is reached or the pass ends. Experts have their own group and buckets.
class DataParallel {
 public:
  /// `units` by chunk.
  DataParallel(const StepSpec& spec, Emitter& emit, std::vector<std::vector<ParameterUnit>> units);

  /// ZeRO 1 and 2: gathers the weights that the step before updated, at the start of this one, in buckets.
  void gather_at_start();
  /// The last op of the program before the list that is being written: a prefetch may not start earlier.
  void set_anchor(Handle anchor) { anchor_ = anchor; }
  /// A pass begins: nothing of its units is gathered yet (ZeRO 3).
  void begin_pass(int chunk, bool backward);
  /// Waits for the weights of a unit; ZeRO 3 gathers it and begins with the next one.
  void before(int unit);
  /// The gradients of a unit are there.
  void after_backward(int unit, bool last_microbatch);
  /// After the last backward: what is left, then waits for all.
  void finish();
  /// Norm of the gradients over all ranks and the optimizer on this rank's shard.
  void update();

 private:
  struct Bucket {
    double dense = 0, experts = 0;
  };
  [[nodiscard]] bool syncs_every_microbatch() const;
  [[nodiscard]] int group_size(bool experts) const;
  [[nodiscard]] double gradient_bytes() const;
  /// Of a weight as it is gathered: 16 bits, also where linear layers run in 8.
  [[nodiscard]] double weight_bytes() const;
  [[nodiscard]] double own_parameters() const;
  void gather_chunk(std::size_t chunk, bool experts);
  void reduce_norm();
  Handle collective(CommKind kind, bool experts, double bytes, const char* name, const std::vector<Handle>& after);
  void gather_unit(int unit);
  void send_bucket(Bucket& bucket);
  void send_half(double& parameters, bool experts);

  const StepSpec& spec_;
  Emitter& emit_;
  std::vector<std::vector<ParameterUnit>> units_;
  std::vector<std::vector<std::vector<Handle>>> gathered_;  ///< by chunk and unit: what to wait for
  std::vector<Handle> reductions_;
  std::vector<Bucket> deferred_;
  Bucket open_;
  Handle anchor_ = kNoHandle;
  int chunk_ = 0;
  bool backward_ = false;
};

}  // namespace stepsim
