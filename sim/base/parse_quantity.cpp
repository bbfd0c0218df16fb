#include "sim/base/parse_quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace stepsim {

namespace {

/// One unit: `value * multiply / divide` is in SI. Both factors are exact doubles, so that "2 us" is the double 2e-6.
struct Unit {
  std::string name;
  double multiply = 1;
  double divide = 1;
  std::vector<std::string> misspellings;
};

/// What a kind of quantity accepts, and the words for its problems.
struct Kind {
  std::string noun;   ///< "a time"
  std::string needs;  ///< "ps, ns, us, ms or s"
  std::vector<Unit> units;
  bool may_be_infinite = false;
  bool may_be_zero = true;
};

struct Prefix {
  const char* name;
  double factor;
};

constexpr Prefix kDecimalPrefixes[] = {{"", 1},     {"k", 1e3},  {"M", 1e6}, {"G", 1e9},
                                       {"T", 1e12}, {"P", 1e15}, {"E", 1e18}};
constexpr Prefix kBinaryPrefixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}};

/// A unit without prefix, and how people write it otherwise.
struct BaseUnit {
  const char* name;
  double divide;
  std::vector<std::string> misspellings;
};

Unit prefixed(const Prefix& prefix, const BaseUnit& base) {
  Unit unit{prefix.name + std::string(base.name), prefix.factor, base.divide, {}};
  for (const std::string& wrong : base.misspellings) unit.misspellings.push_back(prefix.name + wrong);
  return unit;
}

void add_decimal(std::vector<Unit>& units, const BaseUnit& base, std::string_view largest) {
  for (const Prefix& prefix : kDecimalPrefixes) {
    units.push_back(prefixed(prefix, base));
    if (largest == prefix.name) break;
  }
}

void add_binary(std::vector<Unit>& units, const BaseUnit& base) {
  for (const Prefix& prefix : kBinaryPrefixes) units.push_back(prefixed(prefix, base));
}

Kind make_time() {
  return {"a time",
          "ps, ns, us, ms or s",
          {{"ps", 1, 1e12, {"psec"}},
           {"ns", 1, 1e9, {"nsec"}},
           {"us", 1, 1e6, {"usec", "\u00B5s", "\u03BCs"}},
           {"ms", 1, 1e3, {"msec"}},
           {"s", 1, 1, {"sec", "second", "seconds"}}}};
}

Kind make_size() {
  Kind kind{"a size", "B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB", {}};
  const BaseUnit bytes{"B", 1, {"byte", "bytes"}};
  add_decimal(kind.units, bytes, "P");
  add_binary(kind.units, bytes);
  return kind;
}

Kind make_bandwidth() {
  Kind kind{
      "a bandwidth", "B/s (bytes) or b/s (bits) with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi in front", {}, true, false};
  for (const BaseUnit& base : {BaseUnit{"B/s", 1, {"Bps", "B/sec", "byte/s", "bytes/s"}},
                               BaseUnit{"b/s", 8, {"bps", "b/sec", "bit/s", "bits/s", "bit/sec"}}}) {
    add_decimal(kind.units, base, "P");
    add_binary(kind.units, base);
  }
  return kind;
}

Kind make_flop_rate() {
  Kind kind{"a FLOP rate", "FLOP/s with k, M, G, T, P or E in front", {}, true, false};
  add_decimal(kind.units, {"FLOP/s", 1, {"FLOPS", "FLOPS/s", "FLOP/sec", "FLOP", "F/s"}}, "E");
  return kind;
}

Kind make_percentage() { return {"a percentage", "%", {{"%", 1, 100, {"percent", "pct"}}}}; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The text in quotes, cut where it is long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() <= kLongest) return fmt::format("'{}'", text);
  return fmt::format("'{}...'", text.substr(0, kLongest));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// A leading decimal number. `rest` is what follows it.
struct LeadingNumber {
  double value = 0;
  std::string_view rest;
  bool found = false;
  bool out_of_range = false;
};

LeadingNumber leading_number(std::string_view text) {
  // from_chars also reads "inf" and "nan", which are no decimal numbers.
  const std::size_t first = !text.empty() && text.front() == '-' ? 1 : 0;
  const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  const bool starts_with_dot = first < text.size() && text[first] == '.' && is_digit(first + 1);
  if (!is_digit(first) && !starts_with_dot) return {};
  LeadingNumber number;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number.value);
  number.rest = std::string_view(stop, static_cast<std::size_t>(end - stop));
  number.found = status != std::errc::invalid_argument;
  number.out_of_range = status == std::errc::result_out_of_range;
  return number;
}

/// The units that `text` most likely means: an exact misspelling, else all that differ in case only.
std::string likely_units(const Kind& kind, std::string_view text) {
  std::vector<std::string> ignoring_case;
  for (const Unit& unit : kind.units) {
    const auto& wrong = unit.misspellings;
    if (std::find(wrong.begin(), wrong.end(), text) != wrong.end()) return unit.name;
    const bool close =
        same_ignoring_case(unit.name, text) ||
        std::any_of(wrong.begin(), wrong.end(), [&](const auto& w) { return same_ignoring_case(w, text); });
    if (close) ignoring_case.push_back(unit.name);
  }
  return fmt::format("{}", fmt::join(ignoring_case, " or "));
}

std::string unknown_unit(const Kind& kind, std::string_view unit) {
  const std::string likely = likely_units(kind, unit);
  if (!likely.empty()) return fmt::format("unknown unit {}; write {}", quoted(unit), likely);
  return fmt::format("unknown unit {}; {} needs {}", quoted(unit), kind.noun, kind.needs);
}

std::string no_number(const Kind& kind, std::string_view text) {
  const std::string or_inf = kind.may_be_infinite ? ", or inf" : "";
  if (text.empty()) return fmt::format("empty; {} is a number and {}{}", kind.noun, kind.needs, or_inf);
  if (same_ignoring_case(text.substr(0, 3), "inf") || same_ignoring_case(text.substr(0, 4), ".inf")) {
    if (kind.may_be_infinite) return fmt::format("{}: write inf, without a unit", quoted(text));
    return fmt::format("{}: {} must be finite", quoted(text), kind.noun);
  }
  return fmt::format("{} is not a number with a unit; {} needs {}{}", quoted(text), kind.noun, kind.needs, or_inf);
}

/// "" if the number stands where this kind allows it.
std::string bounds_problem(const Kind& kind, std::string_view text, double in_si) {
  if (!std::isfinite(in_si)) return fmt::format("{} is too large", quoted(text));
  if (std::signbit(in_si)) return fmt::format("{} is negative; {} can't be", quoted(text), kind.noun);
  if (in_si == 0 && !kind.may_be_zero) return fmt::format("{}: {} must be more than 0", quoted(text), kind.noun);
  return "";
}

Parsed<double> parse_with_unit(const Kind& kind, std::string_view whole) {
  const std::string_view text = trimmed(whole);
  if (kind.may_be_infinite && text == "inf") return {std::numeric_limits<double>::infinity(), ""};
  const LeadingNumber number = leading_number(text);
  if (!number.found) return {{}, no_number(kind, text)};
  if (number.out_of_range) return {{}, fmt::format("{} is too large or too small", quoted(text))};
  const std::string_view name = trimmed(number.rest);
  if (name.empty()) {
    return {{}, fmt::format("{} has no unit; {} needs {}", text.substr(0, 40), kind.noun, kind.needs)};
  }
  const auto unit = std::find_if(kind.units.begin(), kind.units.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == kind.units.end()) return {{}, unknown_unit(kind, name)};
  const double in_si = number.value * unit->multiply / unit->divide;
  const std::string problem = bounds_problem(kind, text, in_si);
  if (!problem.empty()) return {{}, problem};
  return {in_si, ""};
}

template <class Q>
Parsed<Q> parse_as(const Kind& kind, std::string_view text) {
  const Parsed<double> parsed = parse_with_unit(kind, text);
  if (!parsed.value) return {{}, parsed.problem};
  return {Q(*parsed.value), ""};
}

}  // namespace

Parsed<Seconds> parse_time(std::string_view text) {
  static const Kind kTime = make_time();
  return parse_as<Seconds>(kTime, text);
}

Parsed<Bytes> parse_size(std::string_view text) {
  static const Kind kSize = make_size();
  return parse_as<Bytes>(kSize, text);
}

Parsed<BytesPerSecond> parse_bandwidth(std::string_view text) {
  static const Kind kBandwidth = make_bandwidth();
  return parse_as<BytesPerSecond>(kBandwidth, text);
}

Parsed<FlopsPerSecond> parse_flop_rate(std::string_view text) {
  static const Kind kFlopRate = make_flop_rate();
  return parse_as<FlopsPerSecond>(kFlopRate, text);
}

Parsed<double> parse_percentage(std::string_view text) {
  static const Kind kPercentage = make_percentage();
  return parse_with_unit(kPercentage, text);
}

Parsed<long long> parse_integer(std::string_view whole) {
  const std::string_view text = trimmed(whole);
  const std::string_view digits = !text.empty() && text.front() == '-' ? text.substr(1) : text;
  const bool all_digits =
      !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!all_digits) return {{}, fmt::format("{} is not a whole number; write digits only, such as 4096", quoted(text))};
  if (digits.size() > 1 && digits.front() == '0') {
    return {{}, fmt::format("{} starts with 0; write the number without leading zeros", quoted(text))};
  }
  long long value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc()) return {{}, fmt::format("{} is too large for a whole number", quoted(text))};
  return {value, ""};
}

Parsed<double> parse_number(std::string_view whole) {
  const std::string_view text = trimmed(whole);
  const LeadingNumber number = leading_number(text);
  if (!number.found || !number.rest.empty())
    return {{}, fmt::format("{} is not a finite decimal number", quoted(text))};
  if (number.out_of_range) return {{}, fmt::format("{} is too large or too small", quoted(text))};
  return {number.value, ""};
}

}  // namespace stepsim
