#include "sim/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepsim {
namespace {

struct Step {
  double size;
  const char* unit;
};

/// In the largest unit that leaves a number of at least 1.
template <std::size_t N>
std::string scaled(double value, const std::array<Step, N>& steps, int digits) {
  const double size = std::abs(value);
  for (const Step& step : steps) {
    if (size >= step.size * 0.9995) return fmt::format("{} {}", significant(value / step.size, digits), step.unit);
  }
  return fmt::format("{} {}", significant(value / steps.back().size, digits), steps.back().unit);
}

constexpr std::array<Step, 5> kTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}};
constexpr std::array<Step, 7> kMemory{{{1152921504606846976.0, "EiB"},
                                       {1125899906842624.0, "PiB"},
                                       {1099511627776.0, "TiB"},
                                       {1073741824.0, "GiB"},
                                       {1048576.0, "MiB"},
                                       {1024.0, "KiB"},
                                       {1, "B"}}};
constexpr std::array<Step, 5> kTraffic{{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};

int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  const int whole_digits = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return std::clamp(digits - whole_digits, 0, 15);
}

/// Fills lines with pieces that are not broken, a space between them.
class Lines {
 public:
  explicit Lines(std::string_view first) : indent_(columns_of(first), ' '), line_(first) {}

  void add(std::string_view piece) {
    if (!empty_ && columns_of(line_) + 1 + columns_of(piece) > kReportWidth) {
      all_.append(line_).append("\n");
      line_ = indent_;
      empty_ = true;
    }
    if (!empty_) line_ += ' ';
    line_ += piece;
    empty_ = false;
  }
  [[nodiscard]] std::string text() const { return all_ + line_ + "\n"; }

 private:
  std::string indent_, line_, all_;
  bool empty_ = true;
};

}  // namespace

std::string significant(double value, int digits) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::isnan(value)) return "-";
  if (std::abs(value) >= 1e15) return fmt::format("{:.{}g}", value, digits);
  return fmt::format("{:.{}f}", value, decimals_for(value, digits));
}

std::string in_time(Seconds time) { return time.value() == 0 ? "0 s" : scaled(time.value(), kTimes, 4); }

std::string in_signed_time(Seconds time) { return (time.value() > 0 ? "+" : "") + in_time(time); }

std::string in_memory(Bytes bytes) {
  return std::isinf(bytes.value()) ? "no limit" : bytes.value() == 0 ? "0 B" : scaled(bytes.value(), kMemory, 3);
}

std::string in_traffic(Bytes bytes) {
  return std::isinf(bytes.value()) ? "inf B" : bytes.value() == 0 ? "0 B" : scaled(bytes.value(), kTraffic, 3);
}

std::string in_percent(double share) {
  if (std::isnan(share)) return "-";
  if (std::abs(share) >= 9.9995) return fmt::format("{:.0f} %", share * 100);
  return fmt::format("{:.1f} %", std::abs(share) < 5e-4 ? 0.0 : share * 100);
}

std::string in_signed_percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:+.1f} %", share * 100); }

std::string in_thousands(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::size_t columns_of(std::string_view text) {
  // Bytes 10xxxxxx continue a code point.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string counted(std::uint64_t count, std::string_view singular) {
  const bool hisses = !singular.empty() && singular.back() == 'h';
  return fmt::format("{} {}{}", in_thousands(count), singular, count == 1 ? "" : hisses ? "es" : "s");
}

std::string in_number(double value) {
  const bool large = value >= 9999.5 && value < 1e15;
  return large ? in_thousands(static_cast<std::uint64_t>(std::llround(value))) : significant(value, 4);
}

std::string wrap(std::string_view first, std::string_view text) {
  Lines lines(first);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (end > at) lines.add(text.substr(at, end - at));
    at = end + 1;
  }
  return lines.text();
}

std::string wrap_items(std::string_view first, const std::vector<std::string>& items) {
  Lines lines(first);
  for (std::size_t i = 0; i < items.size(); ++i) lines.add(items[i] + (i + 1 < items.size() ? "," : ""));
  return lines.text();
}

}  // namespace stepsim
