#include "workloads/lowering/op_list.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"

namespace stepsim {

void ProgramWriter::append(const OpList& list) {
  for (const ListedOp& op : list) append_one(op);
}

void ProgramWriter::append_interleaved(const OpList& a, const OpList& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    i = append_segment(a, i);
    j = append_segment(b, j);
  }
}

std::size_t ProgramWriter::append_segment(const OpList& list, std::size_t from) {
  while (from < list.size()) {
    append_one(list[from]);
    if (list[from++].ends_segment) break;
  }
  return from;
}

void ProgramWriter::append_one(const ListedOp& listed) {
  std::vector<std::uint32_t> deps;
  for (const Handle dep : listed.deps) {
    sim_assert(place_[dep] != kNoHandle, "lowering: an op needs one that comes after it");
    deps.push_back(place_[dep]);
  }
  std::sort(deps.begin(), deps.end());
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  program_.deps.add_row(deps);
  place_[listed.id] = static_cast<std::uint32_t>(program_.ops.size());
  program_.ops.push_back(listed.op);
}

Program ProgramWriter::take(int pipeline_rank) {
  program_.pipeline_rank = pipeline_rank;
  return std::move(program_);
}

}  // namespace stepsim
