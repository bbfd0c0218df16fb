#pragma once
// Numbers as people read them: sensible digits, units, the same on every machine.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace stepsim {

inline constexpr int kReportWidth = 100;  ///< columns

/// `digits` significant digits, never an exponent below 10^15: "13.75", "0.0004".
std::string significant(double value, int digits);
/// "13.75 s", "42.1 ms", "3.2 us"; 0 is "0 s".
std::string in_time(Seconds time);
/// The same with a sign, for differences: "+42 ms".
std::string in_signed_time(Seconds time);
/// Powers of 1024, for memory: "71.2 GiB".
std::string in_memory(Bytes bytes);
/// Powers of 1000, for traffic: "1.34 GB".
std::string in_traffic(Bytes bytes);
/// 0.123 is "12.3 %".
std::string in_percent(double share);
/// 0.123 is "+12.3 %".
std::string in_signed_percent(double share);
/// "16,384".
std::string in_thousands(std::uint64_t count);
/// "1 op", "16,384 ops".
std::string counted(std::uint64_t count, std::string_view singular);
/// A rate or score: "1,543", "0.1234".
std::string in_number(double value);

/// Columns that a UTF-8 text takes (one for each code point).
std::size_t columns_of(std::string_view text);
/// Breaks at spaces to fit kReportWidth; the first line begins with `first`, the others with as many spaces.
std::string wrap(std::string_view first, std::string_view text);
/// The same for a list, which is broken between items only.
std::string wrap_items(std::string_view first, const std::vector<std::string>& items);

}  // namespace stepsim
