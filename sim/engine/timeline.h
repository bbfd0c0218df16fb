#pragma once
// When every op of every actor started and ended.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/sim_time.h"
#include "workloads/step_graph.h"

namespace stepsim {

/// Times of one op on one actor.
/// compute: started and ended. collective, ring_hop: `posted` is when this rank was ready to take part, `moved` when
/// its bytes began to move (latency counts as moving), `ended` when it was done. recv: `posted`; `moved` is when the
/// sender had produced the data (clamped to no less than posted); send: `moved` = posted.
struct OpTimes {
  SimTime posted = SimTime::never(), moved = SimTime::never(), ended = SimTime::never();
};

/// A rank, or a class of ranks that behave alike.
struct Actor {
  ProgramId program;
  std::vector<RankId> ranks;                           ///< whom it stands for, ascending
  std::vector<OpTimes> times;                          ///< by op of the program
  SimTime slowed_by_comm;                              ///< compute time added because communication took SMs
  std::array<std::int64_t, kAxes> sent{}, received{};  ///< bytes on the wire, by each rank
};

struct Timeline {
  std::vector<Actor> actors;
  std::vector<ActorId> actor_of_rank;
  /// By program, by op: when the host had issued it. Empty rows: the host is never late.
  IdVector<ProgramId, std::vector<SimTime>> issued;
  SimTime end;  ///< of the step: the last op of the last actor
  std::uint64_t events = 0;
};

}  // namespace stepsim
