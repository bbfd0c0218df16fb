#pragma once
// How fast NCCL's collectives run among the devices of one level: measured, by protocol.

#include <optional>

#include "sim/base/units.h"

namespace stepsim {

/// One of NCCL's protocols. A step of a ring sends a chunk of n-th of the payload to the next member.
struct ProtocolCurve {
  Seconds start;     ///< on top of the curve's overhead
  Seconds step;      ///< synchronisation of each step
  double share = 1;  ///< of the level's usable bandwidth: flags travel with the data, few channels
};

/// All-to-all: to each of n-1 peers a chunk. The least of three ways is taken.
struct AllToAllCurve {
  Seconds peer;               ///< for each peer
  Seconds one_channel_start;  ///< LL on one channel for each peer
  BytesPerSecond one_channel_rate;
  Seconds few_channels_start;
  double few_channels_share = 1;
  Seconds all_channels_start;
  double all_channels_share = 1;
  double own_copy = 0;  ///< share of a chunk's wire time that the copy of the own block costs
};

/// Switches that add and copy: each rank sends the payload once and multicasts its n-th (NVLS).
struct InNetworkCurve {
  Seconds start;
  double share = 1;  ///< of the nominal bandwidth
};

/// Parameters of the formulas in sim/engine/collectives/curve_time.h.
struct CollectiveCurve {
  Seconds overhead;  ///< start of any collective
  ProtocolCurve ll, ll128, simple;
  double copy_out = 0;         ///< share of a step's wire time that the last copy into the user's buffer costs
  double reduce_copy_out = 0;  ///< the same for ReduceScatter, which adds there
  Seconds simple_from;         ///< Simple from the chunk on that takes this long at nominal bandwidth
  std::optional<InNetworkCurve> in_network;
  AllToAllCurve all_to_all;
};

}  // namespace stepsim
