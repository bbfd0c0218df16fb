// The field tables of an accelerator.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sim/scenario/fields.h"
#include "sim/scenario/reference.h"
#include "sim/scenario/rules.h"

namespace stepsim {
namespace {

constexpr int kMaxTile = 1 << 16;
constexpr std::array kDtypes{Dtype::fp32, Dtype::tf32,  Dtype::bf16,  Dtype::fp16,
                             Dtype::fp8,  Dtype::mxfp8, Dtype::nvfp4, Dtype::int8};

using Peaks = std::map<Dtype, FlopsPerSecond>;
using Curves = std::map<Dtype, GemmCurve>;

const Section<Peaks>& peak_section() {
  static const Section<Peaks> kTable = [] {
    Section<Peaks> table("peak", "Dense peak by dtype.");
    for (const Dtype dtype : kDtypes) {
      table
          .add(
              std::string(name_of(dtype)), [dtype](Peaks& peaks, FlopsPerSecond peak) { peaks[dtype] = peak; },
              rules::flop_rate(), "dense peak, no sparsity")
          .note("none");
    }
    return table;
  }();
  return kTable;
}

Section<GemmCurve> make_curve() {
  Section<GemmCurve> table("gemm curve", "How near GEMMs of one dtype come to the peak (docs/model.md).");
  table
      .add("ceiling", &GemmCurve::ceiling, rules::percentage(0.01, 1),
           "share of peak that large square GEMMs reach, cold")
      .otherwise("80 %");
  table
      .add(
          "tile",
          [](GemmCurve& curve, const std::vector<int>& tile) {
            curve.tile_m = tile.front(), curve.tile_n = tile.back();
          },
          rules::pair_of(rules::integer(1, kMaxTile)), "output tile of one SM: [m, n]")
      .otherwise("[128, 256]");
  table
      .add("half_k", &GemmCurve::half_k, rules::number(0, kMaxTile),
           "k at which the inner loop reaches half of its speed")
      .otherwise("128");
  table
      .add("small_tile_loss", &GemmCurve::small_tile_loss, rules::number(0, 2),
           "a tile of 1/x of the base area runs at x^-this of the rate")
      .otherwise("0.1");
  table.add("overhead", &GemmCurve::overhead, rules::time(), "start and end of the kernel on the device")
      .otherwise("3 us");
  table
      .add("cast_traffic", &GemmCurve::cast_traffic, rules::size(),
           "moved for each element of the left operand to cast it from 16 bits beforehand")
      .otherwise("0 B");
  return table;
}

const Section<GemmCurve>& curve_section() {
  static const Section<GemmCurve> kTable = make_curve();
  return kTable;
}

const Section<Curves>& gemm_section() {
  static const Section<Curves> kTable = [] {
    Section<Curves> table("gemm", "GEMM curves by dtype.");
    for (const Dtype dtype : kDtypes) {
      table
          .add(
              std::string(name_of(dtype)), [dtype](Curves& curves, const GemmCurve& curve) { curves[dtype] = curve; },
              rules::section(curve_section()), "curve of this dtype")
          .note("generic");
    }
    return table;
  }();
  return kTable;
}

Section<AttentionCurve> make_attention() {
  Section<AttentionCurve> table("attention", "Flash attention kernels (docs/model.md).");
  table
      .add("forward_ceiling", &AttentionCurve::forward_ceiling, rules::percentage(0.01, 1),
           "share of peak of long forward kernels")
      .otherwise("65 %");
  table
      .add("backward_ceiling", &AttentionCurve::backward_ceiling, rules::percentage(0.01, 1),
           "share of peak of long backward kernels")
      .otherwise("50 %");
  table
      .add("half_length", &AttentionCurve::half_length, rules::number(0, 1e6),
           "keys for each query at which half of the ceiling is reached")
      .otherwise("120");
  table
      .add("causal_waste", &AttentionCurve::causal_waste, rules::number(0, 1e6),
           "masked keys that the tiles of a query compute all the same")
      .otherwise("160");
  table.add("overhead", &AttentionCurve::overhead, rules::time(), "start and end of the kernel").otherwise("5 us");
  table
      .add("decode_bandwidth_share", &AttentionCurve::decode_bandwidth_share, rules::percentage(0.01, 1),
           "share of memory bandwidth when it reads the KV cache")
      .otherwise("80 %");
  table
      .add("decode_share_8bit", &AttentionCurve::decode_share_8bit, rules::percentage(0.01, 1),
           "the same for a cache of 8-bit elements")
      .otherwise("80 %");
  table
      .add("decode_overhead", &AttentionCurve::decode_overhead, rules::time(),
           "start and end of attention of one query a sequence, with cache write and merge")
      .otherwise("5 us");
  return table;
}

const Section<AttentionCurve>& attention_section() {
  static const Section<AttentionCurve> kTable = make_attention();
  return kTable;
}

struct Memory {
  Bytes capacity;
  BytesPerSecond bandwidth;
  double efficiency = 1, thin_gemm_efficiency = 1;
  Seconds overhead;
};

Section<Memory> make_memory() {
  Section<Memory> table("memory", "Memory of the accelerator.");
  table.add("capacity", &Memory::capacity, rules::size(), "size").required();
  table.add("bandwidth", &Memory::bandwidth, rules::bandwidth(), "nominal bandwidth").required();
  table
      .add("efficiency", &Memory::efficiency, rules::percentage(0.01, 1),
           "share of the bandwidth that streaming kernels reach")
      .otherwise("85 %");
  table
      .add("thin_gemm_efficiency", &Memory::thin_gemm_efficiency, rules::percentage(0.01, 1),
           "the same for GEMMs bound by their weights")
      .otherwise("85 %");
  table.add("overhead", &Memory::overhead, rules::time(), "start and end of a memory-bound kernel").otherwise("2 us");
  return table;
}

const Section<Memory>& memory_section() {
  static const Section<Memory> kTable = make_memory();
  return kTable;
}

void set_memory(Accelerator& accelerator, const Memory& memory) {
  accelerator.memory_capacity = memory.capacity;
  accelerator.memory_bandwidth = memory.bandwidth;
  accelerator.memory_efficiency = memory.efficiency;
  accelerator.thin_gemm_efficiency = memory.thin_gemm_efficiency;
  accelerator.memory_overhead = memory.overhead;
}

struct SmShares {
  double collective = 0, p2p = 0;
};

const Section<SmShares>& communication_section() {
  static const Section<SmShares> kTable = [] {
    Section<SmShares> table("communication", "Compute that is lost while a communication kernel runs beside it.");
    table.add("collective_sm_share", &SmShares::collective, rules::percentage(0, 0.99), "under a collective")
        .otherwise("0 %");
    table.add("p2p_sm_share", &SmShares::p2p, rules::percentage(0, 0.99), "under a ring hop or a pipeline transfer")
        .otherwise("0 %");
    return table;
  }();
  return kTable;
}

void set_communication(Accelerator& accelerator, const SmShares& shares) {
  accelerator.comm_sm_share = shares.collective;
  accelerator.p2p_sm_share = shares.p2p;
}

Section<Accelerator> make_accelerator() {
  Section<Accelerator> table("accelerator", "A chip: a library name, a path, or a map of these keys.");
  table.add("name", &Accelerator::name, rules::text(), "shown in reports").note("the file's name");
  table.add("peak", &Accelerator::peak, rules::section(peak_section()), "dense peak by dtype").required();
  table.add("memory", set_memory, rules::section(memory_section()), "memory").required();
  table.add("sms", &Accelerator::sms, rules::integer(0, kMaxTile), "streaming multiprocessors; 0: no wave quantisation")
      .otherwise("0");
  table
      .add("sustained_clock", &Accelerator::sustained_clock, rules::percentage(0.01, 1),
           "share of the boost clock that dense work holds in a long job")
      .otherwise("100 %");
  table.add("gemm", &Accelerator::gemm, rules::section(gemm_section()), "GEMM curves by dtype")
      .note("generic, named as an assumption");
  table.add("attention", &Accelerator::attention, rules::section(attention_section()), "flash attention")
      .otherwise("{}");
  table
      .add("communication", set_communication, rules::section(communication_section()),
           "compute lost under communication")
      .otherwise("{}");
  table.add("ideal", &Accelerator::ideal, rules::boolean(), "every kernel at peak; memory and launches cost nothing")
      .otherwise("false");
  table
      .add(
          "sources", [](Accelerator&, const auto&) {}, rules::text_map(), "where the numbers are from, by key")
      .note("none");
  table.add("assumptions", &Accelerator::assumptions, rules::list_of(rules::text()), "numbers that have no source")
      .note("none");
  return table;
}

/// 16-bit formats share the tensor cores' rate and so the curve; what is left gets generic values.
void fill_curves(Accelerator& accelerator) {
  std::vector<std::string> generic;
  const Curves given = accelerator.gemm;
  for (const auto& [dtype, peak] : accelerator.peak) {
    if (given.count(dtype) > 0) continue;
    const auto twin = given.find(dtype == Dtype::fp16 ? Dtype::bf16 : Dtype::fp16);
    const bool has_twin = (dtype == Dtype::fp16 || dtype == Dtype::bf16) && twin != given.end();
    accelerator.gemm[dtype] = has_twin ? twin->second : GemmCurve{.overhead = Seconds(3e-6)};
    if (!has_twin) generic.emplace_back(name_of(dtype));
  }
  if (!generic.empty())
    accelerator.assumptions.push_back(
        fmt::format("{}: generic efficiency curves for GEMMs in {}", accelerator.name, fmt::join(generic, ", ")));
}

void check_curves(const Accelerator& accelerator, const YamlNode& node, Reader& reader) {
  const YamlEntry* peak = node.find("peak");
  if (peak != nullptr && accelerator.peak.empty() && peak->value.is_map())
    reader.error(peak->value, "peak needs at least one dtype", "for example {bf16: 989.4 TFLOP/s}");
  for (const auto& [dtype, curve] : accelerator.gemm) {
    if (accelerator.peak.count(dtype) == 0)
      reader.error(node, fmt::format("gemm has a curve for {} but peak has no {}", name_of(dtype), name_of(dtype)));
  }
}

void read_accelerator(Accelerator& accelerator, const YamlNode& node, const std::string& name, Reader& reader) {
  accelerator_section().read(accelerator, node, reader);
  if (accelerator.name.empty()) accelerator.name = name.empty() ? "accelerator" : name;
  check_curves(accelerator, node, reader);
  if (accelerator.ideal) return;
  fill_curves(accelerator);
  if (node.find("attention") == nullptr)
    accelerator.assumptions.push_back(accelerator.name + ": generic efficiency curves for attention");
}

}  // namespace

const Section<Accelerator>& accelerator_section() {
  static const Section<Accelerator> kTable = make_accelerator();
  return kTable;
}

Rule<Accelerator> accelerator_rule() {
  return reference<Accelerator>(LibraryKind::accelerator, accelerator_section().info(), read_accelerator);
}

}  // namespace stepsim
