#pragma once
// Ops of one pass before they have a place in their program, and the program that they are put into.

#include <cstdint>
#include <vector>

#include "workloads/step_graph.h"

namespace stepsim {

/// Names an op before its place in the program is known.
using Handle = std::uint32_t;
inline constexpr Handle kNoHandle = 0xffffffff;

struct ListedOp {
  Op op;
  Handle id = kNoHandle;
  std::vector<Handle> deps;
  bool ends_segment = false;  ///< another microbatch may go on here while this one waits
};
using OpList = std::vector<ListedOp>;

/// Puts lists one after the other into a program; handles become places.
class ProgramWriter {
 public:
  Handle new_handle() {
    place_.push_back(kNoHandle);
    return static_cast<Handle>(place_.size() - 1);
  }
  void append(const OpList& list);
  /// Alternates segments of two microbatches, so that the communication of one runs beside the kernels of the other.
  void append_interleaved(const OpList& a, const OpList& b);
  Program take(int pipeline_rank);

 private:
  void append_one(const ListedOp& op);
  std::size_t append_segment(const OpList& list, std::size_t from);

  Program program_;
  std::vector<std::uint32_t> place_;  ///< by handle
};

}  // namespace stepsim
