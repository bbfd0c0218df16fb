#include "workloads/lowering/data_parallel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/parameters.h"

namespace stepsim {

namespace {

ParameterUnit layer_unit(const StepSpec& spec, int layer) {
  const ModelSpec& model = spec.model;
  const int tp = spec.layout.tp;
  auto dense = static_cast<double>(attention_parameters(model, tp));
  if (!model.is_moe_layer(layer)) {
    return {dense + static_cast<double>(ffn_parameters(model, model.ffn, tp) + norm_parameters(model)), 0};
  }
  dense += static_cast<double>(moe_shared_parameters(model, tp));
  const double one = static_cast<double>(ffn_parameters(model, model.moe.ffn, spec.layout.etp));
  return {dense, one * model.moe.experts / spec.layout.ep};
}

double vocabulary_of_rank(const StepSpec& spec) {
  return static_cast<double>(spec.model.vocab) * spec.model.hidden / spec.layout.tp;
}

double embedding_parameters(const StepSpec& spec) {
  const ModelSpec& model = spec.model;
  const double positions =
      model.positions == PositionKind::learned ? static_cast<double>(model.max_positions) * model.hidden : 0;
  return vocabulary_of_rank(spec) + positions;
}

/// Tied to an embedding on the same rank, the output projection is no parameter of its own.
double head_parameters(const StepSpec& spec, bool embedding_here) {
  const double norm = static_cast<double>(norm_parameters(spec.model));
  return norm + (spec.model.tied_embeddings && embedding_here ? 0 : vocabulary_of_rank(spec));
}

std::int64_t whole(double bytes) { return std::llround(bytes); }

}  // namespace

std::vector<ParameterUnit> stage_units(const StepSpec& spec, const StagePlan& plan, int stage) {
  const auto s = static_cast<std::size_t>(stage);
  const bool first = stage == 0, last = stage == plan.schedule.stages - 1;
  std::vector<ParameterUnit> units;
  if (first) units.push_back({spec.model.vocab > 0 ? embedding_parameters(spec) : 0, 0});
  for (int i = 0; i < plan.layers[s]; ++i) units.push_back(layer_unit(spec, plan.first_layer[s] + i));
  if (last) units.push_back({spec.model.vocab > 0 ? head_parameters(spec, first) : 0, 0});
  return units;
}

DataParallel::DataParallel(const StepSpec& spec, Emitter& emit, std::vector<std::vector<ParameterUnit>> units)
    : spec_(spec), emit_(emit), units_(std::move(units)) {
  for (const auto& chunk : units_) gathered_.emplace_back(chunk.size());
}

bool DataParallel::syncs_every_microbatch() const {
  const GradientSync natural = spec_.workload.zero_stage >= 2 ? GradientSync::every_microbatch : GradientSync::last;
  return spec_.workload.gradient_sync.value_or(natural) == GradientSync::every_microbatch;
}

int DataParallel::group_size(bool experts) const {
  const Layout& l = spec_.layout;
  return experts ? l.tp * l.cp * l.dp / (l.ep * l.etp) : l.dp * l.cp;
}

double DataParallel::weight_bytes() const { return bytes_per_element(spec_.workload.precision.activations).value(); }

double DataParallel::gradient_bytes() const {
  return bytes_per_element(spec_.workload.gradient_dtype.value_or(spec_.stack.gradient_dtype)).value();
}

Handle DataParallel::collective(CommKind kind, bool experts, double bytes, const char* name,
                                const std::vector<Handle>& after) {
  Comm comm;
  comm.kind = kind;
  comm.axis = Axis::dp;
  comm.group = experts ? GroupKind::expert_dp : GroupKind::dp_cp;
  comm.bytes = whole(bytes);
  comm.name = name;
  const PassLabel pass = emit_.label();
  PassLabel sync = pass;
  sync.pass = kind == CommKind::all_gather ? PassKind::parameter_sync : PassKind::gradient_sync;
  emit_.label(sync);
  const Handle handle = emit_.comm_after(comm, after);
  emit_.label(pass);
  return handle;
}

// ---- weights ----

void DataParallel::gather_at_start() {
  const int stage = spec_.workload.zero_stage;
  if (stage != 1 && stage != 2) return;
  for (std::size_t chunk = 0; chunk < units_.size(); ++chunk) {
    for (const bool experts : {false, true}) {
      if (group_size(experts) > 1) gather_chunk(chunk, experts);
    }
  }
}

/// In buckets of as many parameters as a bucket of gradients has.
void DataParallel::gather_chunk(std::size_t chunk, bool experts) {
  const std::vector<ParameterUnit>& units = units_[chunk];
  const double limit = spec_.stack.gradient_bucket.value() / gradient_bytes();
  double sum = 0;
  std::size_t first = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    sum += experts ? units[unit].experts : units[unit].dense;
    if (sum == 0 || (sum < limit && unit + 1 < units.size())) continue;
    const Handle handle = collective(CommKind::all_gather, experts, sum * weight_bytes(), "parameter_gather", {});
    for (; first <= unit; ++first) gathered_[chunk][first].push_back(handle);
    sum = 0;
  }
}

void DataParallel::begin_pass(int chunk, bool backward) {
  chunk_ = chunk;
  backward_ = backward;
  if (spec_.workload.zero_stage == 3) {
    for (auto& handles : gathered_[static_cast<std::size_t>(chunk)]) handles.clear();
  }
}

void DataParallel::gather_unit(int unit) {
  auto& chunk = units_[static_cast<std::size_t>(chunk_)];
  if (unit < 0 || unit >= static_cast<int>(chunk.size())) return;
  auto& handles = gathered_[static_cast<std::size_t>(chunk_)][static_cast<std::size_t>(unit)];
  if (!handles.empty()) return;
  const ParameterUnit& parameters = chunk[static_cast<std::size_t>(unit)];
  const Handle after = emit_.last() == kNoHandle ? anchor_ : emit_.last();
  for (const bool experts : {false, true}) {
    const double count = experts ? parameters.experts : parameters.dense;
    if (count == 0 || group_size(experts) == 1) continue;
    handles.push_back(collective(CommKind::all_gather, experts, count * weight_bytes(), "weight_gather", {after}));
  }
}

void DataParallel::before(int unit) {
  const bool shards_weights = spec_.workload.zero_stage == 3;
  if (shards_weights) gather_unit(unit);
  auto& handles = gathered_[static_cast<std::size_t>(chunk_)][static_cast<std::size_t>(unit)];
  for (const Handle handle : handles) emit_.wait(handle);
  if (!shards_weights) handles.clear();  // later passes follow this one
  // Beside compute the next unit's weights come while this one runs; on the compute stream that would only reorder
  // them.
  if (shards_weights && emit_.overlaps(Axis::dp)) gather_unit(backward_ ? unit - 1 : unit + 1);
}

// ---- gradients ----

void DataParallel::after_backward(int unit, bool last_microbatch) {
  if (!last_microbatch && !syncs_every_microbatch()) return;
  const ParameterUnit& parameters = units_[static_cast<std::size_t>(chunk_)][static_cast<std::size_t>(unit)];
  open_.dense += parameters.dense;
  open_.experts += parameters.experts;
  const double bytes = (open_.dense + open_.experts) * gradient_bytes();
  if (unit > 0 && bytes < spec_.stack.gradient_bucket.value()) return;
  if (emit_.overlaps(Axis::dp) || syncs_every_microbatch()) {
    send_bucket(open_);
  } else {
    deferred_.push_back(std::exchange(open_, {}));
  }
}

void DataParallel::send_bucket(Bucket& bucket) {
  send_half(bucket.dense, false);
  send_half(bucket.experts, true);
}

void DataParallel::send_half(double& parameters, bool experts) {
  const double count = std::exchange(parameters, 0);
  if (count == 0 || group_size(experts) == 1) return;
  const CommKind kind = spec_.workload.zero_stage == 0 ? CommKind::all_reduce : CommKind::reduce_scatter;
  reductions_.push_back(collective(kind, experts, count * gradient_bytes(), "gradient_sync", {emit_.last()}));
}

void DataParallel::finish() {
  for (Bucket& bucket : deferred_) send_bucket(bucket);
  for (const Handle handle : reductions_) emit_.wait(handle);
}

// ---- optimizer ----

double DataParallel::own_parameters() const {
  double dense = 0, experts = 0;
  for (const auto& chunk : units_) {
    for (const ParameterUnit& unit : chunk) {
      dense += unit.dense;
      experts += unit.experts;
    }
  }
  if (spec_.workload.zero_stage == 0) return dense + experts;
  return dense / group_size(false) + experts / group_size(true);
}

/// One number over all ranks; booked on the axis that has the most of them outside a node.
void DataParallel::reduce_norm() {
  const Layout& l = spec_.layout;
  if (l.ranks() == 1) return;
  Comm comm;
  comm.kind = CommKind::scalar_all_reduce;
  comm.axis = l.dp * l.cp > 1 ? Axis::dp : (l.pp > 1 ? Axis::pp : Axis::tp);
  comm.group = GroupKind::world;
  comm.bytes = 8;
  comm.name = "gradient_norm";
  emit_.comm(comm);
}

void DataParallel::update() {
  if (spec_.workload.optimizer == Optimizer::none) return;
  const double own = own_parameters();
  emit_.compute(memory_kernel("gradient_norm", own * gradient_bytes()));
  reduce_norm();
  // Reads gradient, fp32 master weight and two moments, writes the last three; fp32 weights are their own master.
  const double written = weight_bytes() < 4 ? weight_bytes() : 0;
  Kernel adam = memory_kernel("optimizer", own * (gradient_bytes() + 6 * 4 + written));
  std::get<MemoryOp>(adam.work).optimizer = true;
  emit_.compute(adam);
}

}  // namespace stepsim
