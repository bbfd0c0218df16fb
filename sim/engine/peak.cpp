#include "sim/engine/peak.h"

#include <fmt/format.h>

#include <string>

#include "sim/base/error.h"

namespace stepsim {

namespace {

/// The dtype under which the accelerator lists this one.
Dtype listed_as(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp16:
      return Dtype::bf16;
    case Dtype::bf16:
      return Dtype::fp16;
    case Dtype::mxfp8:
      return Dtype::fp8;
    default:
      return dtype;
  }
}

std::string listed(const Accelerator& chip) {
  std::string names;
  for (const auto& [dtype, peak] : chip.peak) names += (names.empty() ? "" : ", ") + std::string(name_of(dtype));
  return names;
}

}  // namespace

FlopsPerSecond peak_of(const Accelerator& chip, Dtype dtype) {
  for (const Dtype name : {dtype, listed_as(dtype)}) {
    if (const auto at = chip.peak.find(name); at != chip.peak.end()) return at->second;
  }
  throw SimError(
      fmt::format("accelerator {} has no peak for {}; its file gives {}", chip.name, name_of(dtype), listed(chip)));
}

GemmCurve gemm_curve_of(const Accelerator& chip, Dtype dtype) {
  for (const Dtype name : {dtype, listed_as(dtype)}) {
    if (const auto at = chip.gemm.find(name); at != chip.gemm.end()) return at->second;
  }
  return {};
}

}  // namespace stepsim
