#include "sim/engine/collectives/curve_time.h"

#include <algorithm>

namespace stepsim {

namespace {

constexpr double kSlices = 2;  // of a step, in flight in Simple

class Curve {
 public:
  Curve(const Comm& comm, std::int64_t members, const CollectiveCurve& curve, const LevelBandwidth& level)
      : comm_(comm), curve_(curve), level_(level), n_(static_cast<double>(members)) {}

  [[nodiscard]] CurveTime time() const {
    if (comm_.kind == CommKind::all_to_all) return all_to_all();
    const CurveTime around = ring();
    const bool may_multicast = comm_.kind == CommKind::all_reduce && curve_.in_network.has_value();
    return may_multicast ? quicker(around, in_network(*curve_.in_network)) : around;
  }

 private:
  [[nodiscard]] double steps() const { return comm_.kind == CommKind::all_reduce ? 2 * (n_ - 1) : n_ - 1; }
  [[nodiscard]] Bytes payload() const { return Bytes(static_cast<double>(comm_.bytes)); }
  [[nodiscard]] CurveTime quicker(const CurveTime& a, const CurveTime& b) const {
    return a.total(level_.usable()) <= b.total(level_.usable()) ? a : b;
  }

  /// Bytes of a step, the share of the last copy in each.
  [[nodiscard]] Bytes step_bytes() const {
    const double copy = comm_.kind == CommKind::reduce_scatter ? curve_.reduce_copy_out : curve_.copy_out;
    return payload() / n_ * (1 + copy / steps());
  }

  [[nodiscard]] CurveTime flagged(const ProtocolCurve& protocol) const {
    return {curve_.overhead + protocol.start + protocol.step * steps(), step_bytes() * (steps() / protocol.share)};
  }

  /// P max(l + w/2, w + l/2): whichever stage of the pipeline is slower counts in full, the other one for a slice.
  [[nodiscard]] CurveTime simple() const {
    const ProtocolCurve& protocol = curve_.simple;
    const Bytes step = step_bytes() / protocol.share;
    const bool wire_bound = step / level_.usable() >= protocol.step;
    const double synchronised = wire_bound ? steps() / kSlices : steps();
    const double moved = wire_bound ? steps() : steps() / kSlices;
    return {curve_.overhead + protocol.start + protocol.step * synchronised, step * moved};
  }

  [[nodiscard]] CurveTime ring() const {
    if (payload() / n_ / level_.nominal >= curve_.simple_from) return simple();
    return quicker(flagged(curve_.ll), flagged(curve_.ll128));
  }

  [[nodiscard]] CurveTime in_network(const InNetworkCurve& network) const {
    return {network.start, payload() * ((1 + 1 / n_) * level_.efficiency / network.share)};
  }

  /// comm.bytes are the n-1 chunks that leave the rank.
  [[nodiscard]] CurveTime all_to_all() const {
    const AllToAllCurve& c = curve_.all_to_all;
    const Seconds peers = c.peer * (n_ - 1);
    const Bytes chunk = payload() / (n_ - 1), all = chunk * (n_ - 1 + c.own_copy);
    const CurveTime one{peers + c.one_channel_start, chunk * (level_.usable() / c.one_channel_rate)};
    const CurveTime few{peers + c.few_channels_start, all / c.few_channels_share};
    return quicker(one, quicker(few, {peers + c.all_channels_start, all / c.all_channels_share}));
  }

  const Comm& comm_;
  const CollectiveCurve& curve_;
  const LevelBandwidth& level_;
  double n_;
};

}  // namespace

CurveTime curve_time(const Comm& comm, std::int64_t members, const CollectiveCurve& curve,
                     const LevelBandwidth& level) {
  return Curve(comm, members, curve, level).time();
}

}  // namespace stepsim
