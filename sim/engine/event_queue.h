#pragma once
// Pending events, earliest first; equal times in the order in which they were added.

#include <cstdint>
#include <vector>

#include "sim/base/sim_time.h"

namespace stepsim {

enum class EventKind : std::uint32_t {
  compute_ends,    ///< subject: actor, detail: version of its running kernel
  transfer_joins,  ///< subject: transfer whose latency is over
  transfer_ends,   ///< subject: transfer, detail: version of its rate
  host_issues,     ///< subject: actor, detail: stream whose head the host has now issued
};

struct Event {
  SimTime time;
  std::uint64_t order = 0;
  EventKind kind = EventKind::compute_ends;
  std::uint32_t subject = 0, detail = 0;
};

/// A 4-ary heap: fewer cache misses than a binary one for up to some 10^4 pending events.
class EventQueue {
 public:
  void push(SimTime time, EventKind kind, std::uint32_t subject, std::uint32_t detail) {
    heap_.push_back({time, next_order_++, kind, subject, detail});
    sift_up(heap_.size() - 1);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] SimTime next_time() const { return heap_.front().time; }
  Event pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return top;
  }
  /// Events pushed so far.
  [[nodiscard]] std::uint64_t pushed() const { return next_order_; }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.time < b.time || (a.time == b.time && a.order < b.order);
  }
  void sift_up(std::size_t hole) {
    const Event event = heap_[hole];
    while (hole > 0 && before(event, heap_[(hole - 1) / 4])) {
      heap_[hole] = heap_[(hole - 1) / 4];
      hole = (hole - 1) / 4;
    }
    heap_[hole] = event;
  }
  void sift_down(const Event& event) {
    std::size_t hole = 0;
    for (std::size_t first = 1; first < heap_.size(); first = 4 * hole + 1) {
      std::size_t least = first;
      const std::size_t end = first + 4 < heap_.size() ? first + 4 : heap_.size();
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace stepsim
