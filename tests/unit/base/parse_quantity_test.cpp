// Is text with a unit read as the right number, and does wrong text get told what is right?
#include "sim/base/parse_quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace stepsim {
namespace {

struct Good {
  const char* text;
  double si;
};

template <class T>
void expect_values(Parsed<T> (*parse)(std::string_view), std::initializer_list<Good> table) {
  for (const Good& row : table) {
    const Parsed<T> parsed = parse(row.text);
    ASSERT_TRUE(parsed.value.has_value()) << row.text << ": " << parsed.problem;
    EXPECT_EQ(parsed.value->value(), row.si) << row.text;
    EXPECT_EQ(parsed.problem, "") << row.text;
  }
}

struct Bad {
  const char* text;
  const char* problem_has;
};

template <class T>
void expect_problems(Parsed<T> (*parse)(std::string_view), std::initializer_list<Bad> table) {
  for (const Bad& row : table) {
    const Parsed<T> parsed = parse(row.text);
    EXPECT_FALSE(parsed.value.has_value()) << row.text;
    EXPECT_NE(parsed.problem.find(row.problem_has), std::string::npos) << row.text << ": " << parsed.problem;
  }
}

TEST(ParseTime, Values) {
  expect_values(parse_time, {{"2 us", 2e-6},
                             {"2us", 2e-6},
                             {"  2   us ", 2e-6},
                             {"1.5 ms", 1.5e-3},
                             {"700 ns", 700e-9},
                             {"3 ps", 3e-12},
                             {"1e3 s", 1000},
                             {".5 s", 0.5},
                             {"0 us", 0}});
}

TEST(ParseTime, Problems) {
  EXPECT_EQ(parse_time("0.5").problem, "0.5 has no unit; a time needs ps, ns, us, ms or s");
  expect_problems(parse_time, {{"0", "0 has no unit"},
                               {"", "empty; a time is a number and ps, ns, us, ms or s"},
                               {"us", "'us' is not a number with a unit"},
                               {"2 usec", "unknown unit 'usec'; write us"},
                               {"2 \u00b5s", "write us"},
                               {"2 MS", "unknown unit 'MS'; write ms"},
                               {"2 GB", "unknown unit 'GB'; a time needs ps, ns, us, ms or s"},
                               {"-2 us", "negative"},
                               {"inf", "must be finite"},
                               {"nan", "not a number"},
                               {"nan us", "not a number"},
                               {"+2 us", "not a number"},
                               {"0x10 us", "unknown unit 'x10 us'"},
                               {"2 us us", "unknown unit 'us us'"},
                               {"1e999 s", "too large"},
                               {"1,5 ms", "unknown unit"}});
}

TEST(ParseSize, Values) {
  expect_values(parse_size, {{"80 GiB", 85'899'345'920.0},  // 80 x 2^30
                             {"80 GB", 80e9},
                             {"1 KiB", 1024},
                             {"1 kB", 1000},
                             {"141.5 GB", 141.5e9},
                             {"12 B", 12},
                             {"0 B", 0},
                             {"2 TiB", 2'199'023'255'552.0},
                             {"1 PB", 1e15}});
}

TEST(ParseSize, Problems) {
  expect_problems(parse_size, {{"80", "80 has no unit; a size needs B, kB, MB, GB"},
                               {"80 Gb", "unknown unit 'Gb'; write GB"},
                               {"80 KB", "unknown unit 'KB'; write kB"},
                               {"80 GIB", "write GiB"},
                               {"80 gbytes", "write GB"},
                               {"80 G", "unknown unit 'G'; a size needs"},
                               {"80 GB/s", "unknown unit 'GB/s'; a size needs"},
                               {"-1 B", "negative"},
                               {"1e300 PB", "too large"}});
}

TEST(ParseBandwidth, BitsAndBytesAreToldApart) {
  expect_values(parse_bandwidth, {{"450 GB/s", 450e9},
                                  {"400 Gb/s", 50e9},  // 8 bits a byte
                                  {"400Gb/s", 50e9},
                                  {"3.35 TB/s", 3.35e12},
                                  {"8 b/s", 1},
                                  {"1 GiB/s", 1'073'741'824.0},
                                  {"8 Gib/s", 1'073'741'824.0},
                                  {"12 kB/s", 12e3}});
  EXPECT_TRUE(std::isinf(parse_bandwidth("inf").value.value().value()));
  EXPECT_TRUE(std::isinf(parse_bandwidth(" inf ").value.value().value()));
}

TEST(ParseBandwidth, Problems) {
  expect_problems(parse_bandwidth, {{"450", "450 has no unit; a bandwidth needs B/s (bytes) or b/s (bits)"},
                                    {"400 Gbps", "unknown unit 'Gbps'; write Gb/s"},
                                    {"50 GBps", "unknown unit 'GBps'; write GB/s"},
                                    {"400 Gbit/s", "write Gb/s"},
                                    {"400 gb/s", "write GB/s or Gb/s"},
                                    {"400 GB", "unknown unit 'GB'; a bandwidth needs"},
                                    {"0 GB/s", "must be more than 0"},
                                    {"-1 GB/s", "negative"},
                                    {"-inf", "not a number"},
                                    {"inf GB/s", "write inf, without a unit"},
                                    {"Infinity", "write inf"},
                                    {".inf", "write inf"}});
}

TEST(ParseFlopRate, ValuesAndProblems) {
  expect_values(parse_flop_rate, {{"989.4 TFLOP/s", 989.4e12}, {"2 PFLOP/s", 2e15}, {"1 EFLOP/s", 1e18}});
  EXPECT_TRUE(std::isinf(parse_flop_rate("inf").value.value().value()));
  expect_problems(parse_flop_rate, {{"989", "989 has no unit; a FLOP rate needs FLOP/s"},
                                    {"989 TFLOPS", "unknown unit 'TFLOPS'; write TFLOP/s"},
                                    {"989 TFLOPs", "write TFLOP/s"},
                                    {"989 tflop/s", "write TFLOP/s"},
                                    {"989 T", "a FLOP rate needs"},
                                    {"0 TFLOP/s", "more than 0"},
                                    {"-989 TFLOP/s", "negative"}});
}

TEST(ParsePercentage, IsAFraction) {
  EXPECT_EQ(parse_percentage("50 %").value, 0.5);
  EXPECT_EQ(parse_percentage("2.5%").value, 0.025);
  EXPECT_EQ(parse_percentage("120 %").value, 1.2);
  EXPECT_EQ(parse_percentage("0.5").problem, "0.5 has no unit; a percentage needs %");
  EXPECT_FALSE(parse_percentage("-5 %").value.has_value());
  EXPECT_FALSE(parse_percentage("50 percent").value.has_value());
}

TEST(ParseInteger, TakesPlainDecimalOnly) {
  EXPECT_EQ(parse_integer("4096").value, 4096);
  EXPECT_EQ(parse_integer("0").value, 0);
  EXPECT_EQ(parse_integer("-3").value, -3);
  EXPECT_EQ(parse_integer("9223372036854775807").value, 9223372036854775807LL);
  for (const char* text :
       {"", "-", "+4", "4.0", "1e3", "010", "0x10", "1_000", "1,000", "4 k", "9223372036854775808"}) {
    const Parsed<long long> parsed = parse_integer(text);
    EXPECT_FALSE(parsed.value.has_value()) << text;
    EXPECT_NE(parsed.problem, "") << text;
  }
}

TEST(ParseNumber, TakesFiniteDecimalsOnly) {
  EXPECT_EQ(parse_number("1.25").value, 1.25);
  EXPECT_EQ(parse_number("-1e-3").value, -1e-3);
  EXPECT_EQ(parse_number("7").value, 7.0);
  for (const char* text : {"", "inf", "nan", ".nan", "-", ".", "1.2.3", "1e999", "0x1p3", "5 us"}) {
    EXPECT_FALSE(parse_number(text).value.has_value()) << text;
  }
}

TEST(ParseQuantity, HugeTextIsCutInTheProblem) {
  const std::string huge(10'000'000, '9');
  EXPECT_LT(parse_time(huge).problem.size(), 200U);
  EXPECT_LT(parse_integer(huge).problem.size(), 200U);
  EXPECT_LT(parse_size("1 " + std::string(1'000'000, 'x')).problem.size(), 200U);
}

}  // namespace
}  // namespace stepsim
