#include "workloads/lowering/work_tables.h"

#include <functional>
#include <utility>

namespace stepsim {

namespace {

std::size_t mixed(std::size_t hash, std::size_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29); }

std::size_t hash_of(const Kernel& kernel) {
  const std::size_t hash = mixed(std::hash<std::string>{}(kernel.name), std::hash<double>{}(kernel.flops.value()));
  const auto* memory = std::get_if<MemoryOp>(&kernel.work);
  return memory == nullptr ? hash : mixed(hash, std::hash<double>{}(memory->traffic.value()));
}

std::size_t hash_of(const Comm& comm) {
  std::size_t hash = mixed(std::hash<std::string>{}(comm.name), static_cast<std::size_t>(comm.bytes));
  hash = mixed(hash, static_cast<std::size_t>(comm.kind));
  return mixed(hash, static_cast<std::size_t>(comm.peer_stage + 1) * 256 + comm.channel);
}

/// The id of an equal item, or of the new one.
template <class IdType, class T>
IdType intern_in(IdVector<IdType, T>& items, std::vector<IdType>& same_hash, const T& item) {
  for (const IdType id : same_hash) {
    if (items[id] == item) return id;
  }
  same_hash.push_back(items.push_back(item));
  return same_hash.back();
}

}  // namespace

KernelId WorkTables::intern(const Kernel& kernel) {
  return intern_in(kernels_, kernels_by_hash_[hash_of(kernel)], kernel);
}

CommId WorkTables::intern(const Comm& comm) { return intern_in(comms_, comms_by_hash_[hash_of(comm)], comm); }

void WorkTables::move_to(StepGraph& graph) {
  graph.kernels = std::move(kernels_);
  graph.comms = std::move(comms_);
}

}  // namespace stepsim
