#include "sim/report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepsim {
namespace {

TEST(Format, KeepsTheSignificantDigits) {
  EXPECT_EQ(significant(13.7512, 4), "13.75");
  EXPECT_EQ(significant(1543.2, 4), "1543");
  EXPECT_EQ(significant(0.00012345, 3), "0.000123");
  EXPECT_EQ(significant(0, 4), "0");
}

TEST(Format, ChoosesTheUnitOfTime) {
  EXPECT_EQ(in_time(Seconds(13.75)), "13.75 s");
  EXPECT_EQ(in_time(Seconds(0.0421)), "42.10 ms");
  EXPECT_EQ(in_time(Seconds(3.2e-6)), "3.200 us");
  EXPECT_EQ(in_time(Seconds(0)), "0 s");
  EXPECT_EQ(in_signed_time(Seconds(0.5)), "+500.0 ms");
  EXPECT_EQ(in_signed_time(Seconds(-2)), "-2.000 s");
}

TEST(Format, MemoryCountsIn1024AndTrafficIn1000) {
  EXPECT_EQ(in_memory(Bytes(80.0 * 1073741824.0)), "80.0 GiB");
  EXPECT_EQ(in_memory(Bytes(1536)), "1.50 KiB");
  EXPECT_EQ(in_memory(Bytes(std::numeric_limits<double>::infinity())), "no limit");
  EXPECT_EQ(in_traffic(Bytes(1.34e9)), "1.34 GB");
  EXPECT_EQ(in_traffic(Bytes(0)), "0 B");
}

TEST(Format, SharesAreInPercent) {
  EXPECT_EQ(in_percent(0.1234), "12.3 %");
  EXPECT_EQ(in_percent(-0.0001), "0.0 %");
  EXPECT_EQ(in_signed_percent(0.25), "+25.0 %");
  EXPECT_EQ(in_signed_percent(-0.013), "-1.3 %");
}

TEST(Format, ThousandsAreSeparated) {
  EXPECT_EQ(in_thousands(999), "999");
  EXPECT_EQ(in_thousands(16384), "16,384");
  EXPECT_EQ(in_thousands(1234567), "1,234,567");
}

TEST(Format, CountsHaveTheirPlural) {
  EXPECT_EQ(counted(1, "op"), "1 op");
  EXPECT_EQ(counted(2000, "op"), "2,000 ops");
  EXPECT_EQ(counted(3, "microbatch"), "3 microbatches");
  EXPECT_EQ(in_number(109744.4), "109,744");
  EXPECT_EQ(in_number(50), "50.00");
}

TEST(Format, ListsBreakBetweenItems) {
  const std::string item = std::string(24, 'x') + " 1 ms";  // 29 columns: three and their commas take 2 + 92
  EXPECT_EQ(wrap_items("  ", {item, item, item, item}),
            "  " + item + ", " + item + ", " + item + ",\n  " + item + "\n");
}

TEST(Format, CodePointsCountOnce) { EXPECT_EQ(columns_of("h\xC3\xA9h"), 3u); }

TEST(Format, WrapsAtTheReportWidth) {
  const std::string word(30, 'x');
  // "- " + 30 + 1 + 30 + 1 + 30 = 94 columns; a fourth word does not fit in 100.
  EXPECT_EQ(wrap("- ", word + " " + word + " " + word + " " + word),
            "- " + word + " " + word + " " + word + "\n  " + word + "\n");
}

}  // namespace
}  // namespace stepsim
