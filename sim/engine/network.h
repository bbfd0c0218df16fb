#pragma once
// The communications that are moving bytes now, and how fast.

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/exact.h"
#include "sim/engine/maxmin.h"

namespace stepsim {

/// Fluid transfers over shared links. A transfer's amount left is re-anchored only when its own rate changes, so that
/// the moment it ends does not depend on who else came and went.
class Network {
 public:
  /// A transfer whose end moved: it now ends at `time`, and events of an older version are void.
  struct Forecast {
    std::uint32_t transfer = 0;
    std::uint32_t version = 0;
    SimTime time;
  };

  /// `capacity` by link; with max_min false each transfer gets its solo rate.
  Network(std::span<const Capacity> capacity, bool max_min);

  /// Transfers are numbered by the caller (small numbers, reused). `links` must stay valid while it runs.
  void start(std::uint32_t transfer, std::span<const LinkUse> links, Rate solo, Amount amount, SimTime now);
  /// Takes an ended transfer off its links.
  void remove(std::uint32_t transfer);
  /// Solves again what starts and removals touched. Called once for all that happens at one time.
  void settle(SimTime now, std::vector<Forecast>& changed);
  [[nodiscard]] bool is_current(std::uint32_t transfer, std::uint32_t version) const {
    return flows_[transfer].version == version && flows_[transfer].running;
  }

 private:
  struct Flow {
    std::span<const LinkUse> links;
    Rate solo = kEndless;
    Rate rate = 0;
    Amount left = 0;
    SimTime anchor;
    std::uint32_t version = 0;
    std::uint32_t mark = 0;  ///< round in which it was last collected
    bool running = false;
  };

  void touch_links(const Flow& flow);
  void collect_component(std::uint32_t transfer);
  void collect_neighbours(std::uint32_t transfer);
  void solve_component(SimTime now, std::vector<Forecast>& changed);
  void set_rate(std::uint32_t transfer, Rate rate, SimTime now, std::vector<Forecast>& changed);

  std::span<const Capacity> capacity_;
  bool max_min_;
  std::vector<Flow> flows_;
  std::vector<std::vector<std::uint32_t>> on_link_;  ///< running transfers by link
  std::vector<std::uint32_t> link_mark_;
  std::vector<std::uint32_t> started_, touched_links_;
  std::vector<std::uint32_t> component_;
  std::vector<std::span<const LinkUse>> uses_;
  std::vector<Rate> rates_;
  std::uint32_t round_ = 0;
};

}  // namespace stepsim
