#pragma once
// Who has come to a communication so far: the k-th op of one side meets the k-th of the others.

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/base/sim_time.h"
#include "sim/engine/folding.h"

namespace stepsim {

/// One op of one actor.
struct OpRef {
  std::uint32_t actor = kNone, op = kNone;
  [[nodiscard]] bool empty() const { return actor == kNone; }
};

/// A collective that some members have posted. Members of one class post once, for all of them.
struct Meeting {
  std::vector<OpRef> posted;
  std::uint32_t comm = kNone;  ///< what the first one posted
  bool started = false;
};

/// Open collectives of one class of groups: front() is number `first`.
struct MeetingQueue {
  std::deque<Meeting> open;
  std::uint32_t first = 0;
};

/// Hops from one actor to the next in its ring. Hop k of the sender meets hop k of the receiver.
struct HopPair {
  OpRef sender, receiver;  ///< posted and not yet served
  bool moving = false;
  struct Arrival {
    SimTime moved, ended;
  };
  std::deque<Arrival> early;  ///< eager hops that came before the receiver posted
};

/// Messages of one channel between two pipeline ranks, in order.
struct Channel {
  std::uint32_t bundle = kNone;
  std::uint32_t sender = kNone, receiver = kNone;  ///< actors
  std::uint8_t tag = 0;
  struct Message {
    OpRef send;
    SimTime produced;
    bool arrived = false;
  };
  std::deque<Message> messages;  ///< not yet received
  OpRef waiting;                 ///< a receive that was posted and has nothing yet
  std::uint64_t sent = 0, received = 0;
};

}  // namespace stepsim
