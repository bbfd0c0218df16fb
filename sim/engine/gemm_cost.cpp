#include "sim/engine/gemm_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/engine/peak.h"

namespace stepsim {

namespace {

struct Tile {
  double m = 0, n = 0;
};

/// The base tile, its transpose-like double, and smaller ones for small products.
std::array<Tile, 6> tiles_around(const GemmCurve& curve) {
  const double m = curve.tile_m, n = curve.tile_n;
  return {{{m, n}, {2 * m, n / 2}, {m, n / 2}, {m / 2, n}, {m / 2, n / 2}, {m / 2, n / 4}}};
}

class GemmCost {
 public:
  GemmCost(const Gemm& gemm, const Accelerator& chip)
      : curve_(gemm_curve_of(chip, gemm.dtype)),
        m_(static_cast<double>(gemm.m)),
        n_(static_cast<double>(gemm.n)),
        k_(static_cast<double>(gemm.k)),
        groups_(static_cast<double>(gemm.groups)),
        sms_(std::max(chip.sms, 1)),
        quantised_(chip.sms > 0),
        rate_(peak_of(chip, gemm.dtype) * (curve_.ceiling * chip.sustained_clock)),
        bandwidth_(chip.memory_bandwidth * chip.thin_gemm_efficiency),
        bytes_(traffic(gemm)),
        cast_(curve_.cast_traffic * (m_ * k_ * groups_) / (chip.memory_bandwidth * chip.memory_efficiency)) {}

  [[nodiscard]] Seconds time() const { return cast_ + std::max(compute(), bytes_ / bandwidth_) + curve_.overhead; }

 private:
  Bytes traffic(const Gemm& gemm) const {
    const Bytes operands = bytes_per_element(gemm.dtype) * (m_ * k_ + n_ * k_);
    const Bytes result = Bytes((gemm.accumulate_fp32 ? 8.0 : 2.0) * m_ * n_);
    return (operands + result) * groups_;
  }

  [[nodiscard]] Seconds compute() const {
    if (!quantised_) return Flops(2 * m_ * n_ * (k_ + curve_.half_k) * groups_) / rate_;
    Seconds best(std::numeric_limits<double>::infinity());
    for (const Tile& tile : tiles_around(curve_)) {
      for (const double splits : {1.0, 2.0, 4.0, 8.0}) best = std::min(best, with(tile, splits));
    }
    return best;
  }

  /// A split of k adds fp32 partial results, and pays only where tiles are few and k is long.
  [[nodiscard]] Seconds with(const Tile& tile, double splits) const {
    const double tiles = std::ceil(m_ / tile.m) * std::ceil(n_ / tile.n) * groups_;
    const bool sensible = splits == 1 || (k_ / splits >= 256 && tiles * splits <= 2 * sms_);
    if (!sensible) return Seconds(std::numeric_limits<double>::infinity());
    const double area = tile.m * tile.n / (static_cast<double>(curve_.tile_m) * curve_.tile_n);
    const Flops wave(2 * tile.m * tile.n * (k_ / splits + curve_.half_k) * sms_);
    const Bytes partial(splits == 1 ? 0 : 8 * m_ * n_ * groups_ * splits);
    return std::ceil(tiles * splits / sms_) * (wave / (rate_ * std::pow(area, curve_.small_tile_loss))) +
           partial / bandwidth_;
  }

  GemmCurve curve_;
  double m_, n_, k_, groups_, sms_;
  bool quantised_;
  FlopsPerSecond rate_;
  BytesPerSecond bandwidth_;
  Bytes bytes_;
  Seconds cast_;
};

}  // namespace

Seconds gemm_time(const Gemm& gemm, const Accelerator& chip) { return GemmCost(gemm, chip).time(); }

}  // namespace stepsim
