#pragma once
// "450 GB/s", "400 Gb/s", "2 us", "80 GiB", "989.4 TFLOP/s", "50 %", "inf" to quantities.

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace stepsim {

/// A quantity, or the reason why the text is none (it names the unit that is missing or what is allowed).
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;
};

/// Time: ps ns us ms s. Zero needs a unit too.
Parsed<Seconds> parse_time(std::string_view text);
/// Size: B, kB..PB (powers of 1000), KiB..PiB (powers of 1024).
Parsed<Bytes> parse_size(std::string_view text);
/// Bandwidth: B/s or b/s (bits) with SI or IEC prefix, or "inf".
Parsed<BytesPerSecond> parse_bandwidth(std::string_view text);
/// FLOP/s with SI prefix, or "inf".
Parsed<FlopsPerSecond> parse_flop_rate(std::string_view text);
/// "50 %" is 0.5.
Parsed<double> parse_percentage(std::string_view text);
/// A whole decimal number without sign tricks, octal or separators.
Parsed<long long> parse_integer(std::string_view text);
/// A finite decimal number.
Parsed<double> parse_number(std::string_view text);

}  // namespace stepsim
