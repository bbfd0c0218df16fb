#pragma once
// What a simulated step took and where its time went.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/sim_time.h"
#include "sim/base/units.h"
#include "workloads/layout.h"

namespace stepsim {

/// The parts of one actor's step; they sum to the step to the picosecond.
struct Parts {
  SimTime compute;
  std::array<SimTime, kAxes> exposed{};  ///< by Axis
  SimTime bubble, peer_wait, host;
  [[nodiscard]] SimTime total() const;
};

/// One actor: a rank, or a class of `ranks` equal ranks.
struct ActorReport {
  std::uint32_t first_rank = 0, ranks = 1;
  int stage = 0;  ///< pipeline rank
  Parts parts;
  SimTime slowed_by_comm;               ///< inside compute: what slower kernels beside communication cost
  std::array<SimTime, kAxes> comm{};    ///< time in which at least one communication of the axis moved
  std::array<SimTime, kAxes> hidden{};  ///< the part of it that ran beside a kernel
  std::array<std::int64_t, kAxes> sent_bytes{}, received_bytes{};  ///< on the wire, by each rank of the actor
  std::array<std::int64_t, kAxes> payload_bytes{};                 ///< of the communications it took part in
};

/// Mean over ranks, in seconds.
struct MeanParts {
  Seconds compute;
  std::array<Seconds, kAxes> exposed{};
  Seconds bubble, peer_wait, host;
  Seconds slowed_by_comm;  ///< inside compute
};

/// Which links the communications of an axis used.
struct AxisLinks {
  bool used = false;
  std::vector<std::string> link_classes;
  int group_size = 1;          ///< of the largest group on this axis
  Seconds busy;                ///< mean over ranks of `comm`
  double hidden_fraction = 0;  ///< of `busy`; 1 where nothing moved
  Bytes payload;               ///< a rank and step, mean
  Bytes sent;                  ///< on the wire, a rank and step, mean
  bool crosses_level = false;  ///< the group spans more than the innermost level
};

struct StepReport {
  SimTime step;
  MeanParts mean;
  std::vector<MeanParts> stages;  ///< by pipeline rank
  std::vector<ActorReport> actors;
  std::array<AxisLinks, kAxes> axes;
  Flops hardware_flops;   ///< what ran, whole cluster
  std::uint64_t ops = 0;  ///< ops of all actors
  std::uint64_t events = 0;
};

}  // namespace stepsim
