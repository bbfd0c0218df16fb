// The field tables of a level's measured collectives.

#include "sim/scenario/fields.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

Section<ProtocolCurve> make_protocol() {
  Section<ProtocolCurve> table("protocol", "One of NCCL's protocols (docs/model.md).");
  table.add("start", &ProtocolCurve::start, rules::time(), "on top of the overhead").otherwise("0 s");
  table.add("step", &ProtocolCurve::step, rules::time(), "synchronisation of each step").required();
  table
      .add("share", &ProtocolCurve::share, rules::percentage(0.001, 1),
           "of the usable bandwidth: flags travel with the data, few channels")
      .otherwise("100 %");
  return table;
}

const Section<ProtocolCurve>& protocol_section() {
  static const Section<ProtocolCurve> kTable = make_protocol();
  return kTable;
}

Section<AllToAllCurve> make_all_to_all() {
  Section<AllToAllCurve> table("all-to-all curve", "All-to-all among the members: the least of three ways.");
  table.add("peer", &AllToAllCurve::peer, rules::time(), "for each peer").required();
  table.add("one_channel_start", &AllToAllCurve::one_channel_start, rules::time(), "LL on one channel a peer")
      .required();
  table.add("one_channel_rate", &AllToAllCurve::one_channel_rate, rules::bandwidth(), "to each peer").required();
  table.add("few_channels_start", &AllToAllCurve::few_channels_start, rules::time(), "Simple, few channels").required();
  table
      .add("few_channels_share", &AllToAllCurve::few_channels_share, rules::percentage(0.001, 1),
           "of the usable bandwidth")
      .required();
  table.add("all_channels_start", &AllToAllCurve::all_channels_start, rules::time(), "Simple, all channels").required();
  table
      .add("all_channels_share", &AllToAllCurve::all_channels_share, rules::percentage(0.001, 1),
           "of the usable bandwidth")
      .required();
  table
      .add("own_copy", &AllToAllCurve::own_copy, rules::percentage(0, 1),
           "copy of the own block, in chunks on the wire")
      .otherwise("0 %");
  return table;
}

const Section<AllToAllCurve>& all_to_all_section() {
  static const Section<AllToAllCurve> kTable = make_all_to_all();
  return kTable;
}

Section<InNetworkCurve> make_in_network() {
  Section<InNetworkCurve> table("in-network curve", "AllReduce by switches that add and copy (NVLS).");
  table.add("start", &InNetworkCurve::start, rules::time(), "of the collective").required();
  table.add("share", &InNetworkCurve::share, rules::percentage(0.001, 1), "of the nominal bandwidth").required();
  return table;
}

const Section<InNetworkCurve>& in_network_section() {
  static const Section<InNetworkCurve> kTable = make_in_network();
  return kTable;
}

Section<CollectiveCurve> make_curve() {
  Section<CollectiveCurve> table(
      "nccl", "Measured collectives among the members of a level, by protocol; formulas in docs/model.md.");
  table.add("overhead", &CollectiveCurve::overhead, rules::time(), "start of any collective").required();
  table.add("ll", &CollectiveCurve::ll, rules::section(protocol_section()), "smallest messages").required();
  table.add("ll128", &CollectiveCurve::ll128, rules::section(protocol_section()), "small messages").required();
  table.add("simple", &CollectiveCurve::simple, rules::section(protocol_section()), "large messages").required();
  table.add("copy_out", &CollectiveCurve::copy_out, rules::percentage(0, 1), "last copy, in steps on the wire")
      .otherwise("0 %");
  table.add("reduce_copy_out", &CollectiveCurve::reduce_copy_out, rules::percentage(0, 1), "the same for ReduceScatter")
      .otherwise("0 %");
  table
      .add("simple_from", &CollectiveCurve::simple_from, rules::time(),
           "Simple from the chunk on that takes this long at nominal bandwidth")
      .required();
  table
      .add("in_network", &CollectiveCurve::in_network, rules::section(in_network_section()),
           "AllReduce in the switches")
      .note("none");
  table.add("all_to_all", &CollectiveCurve::all_to_all, rules::section(all_to_all_section()), "all-to-all").required();
  return table;
}

}  // namespace

const Section<CollectiveCurve>& collective_curve_section() {
  static const Section<CollectiveCurve> kTable = make_curve();
  return kTable;
}

}  // namespace stepsim
