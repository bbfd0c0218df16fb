#pragma once
// How a run is simulated, and what is disturbed in it.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/ids.h"

namespace stepsim {

/// May the host be late? `auto_`: unless kernels come from a CUDA graph or the chip is ideal.
enum class HostLaunch { auto_, off, always };

struct SimulationOptions {
  bool fold = true;     ///< one actor for each class of equal ranks; false: one for each rank
  bool max_min = true;  ///< false: every communication gets the full bandwidth of its links
  std::uint64_t seed = 1;
  std::string all_reduce = "auto";  ///< algorithm of AllReduce where it fits; auto: the fastest that NCCL considers
  HostLaunch host_launch = HostLaunch::auto_;
};

struct SlowRank {
  std::uint32_t rank = 0;
  double slowdown = 1;  ///< kernels of this rank take this many times as long
};

/// Log-normal with median 1; sigma is the standard deviation of the logarithm. Each draws from its own keyed stream.
struct Perturbation {
  std::vector<SlowRank> slow_ranks;
  double kernel_jitter_sigma = 0;
  double hop_jitter_sigma = 0;  ///< duration of each hop of a ring
};

}  // namespace stepsim
