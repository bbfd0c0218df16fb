#include "sim/report/bar.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/report/table.h"

namespace stepsim {
namespace {

const TextStyle kPlain{.color = false};

TEST(Bar, SplitsTheWidthByShare) {
  EXPECT_EQ(bar({{'#', 1, 0.5}, {'T', 2, 0.3}, {'.', 3, 0.2}}, 10, kPlain), "[#####TTT..]");
}

TEST(Bar, LargestRemainderFillsTheWidth) {
  // Thirds of 10: 3.33 each; the letter that is left goes to the first of equals.
  EXPECT_EQ(bar({{'a', 1, 1.0 / 3}, {'b', 2, 1.0 / 3}, {'c', 3, 1.0 / 3}}, 10, kPlain), "[aaaabbbccc]");
}

TEST(Bar, LeavesRoomWhereThePartsAreLessThanTheWhole) { EXPECT_EQ(bar({{'W', 1, 0.4}}, 5, kPlain), "[WW   ]"); }

TEST(Bar, SurvivesAWholeOfZero) { EXPECT_EQ(bar({{'W', 1, 0.0 / 1}}, 3, kPlain), "[   ]"); }

TEST(Bar, ColoursOnlyWhenAsked) {
  EXPECT_EQ(bar({{'#', 34, 1}}, 2, {.color = true}), "[\x1b[38;5;34m##\x1b[0m]");
  EXPECT_EQ(heading("x", kPlain), "x");
  EXPECT_EQ(alarm("x", kPlain), "x");
}

TEST(Table, AlignsColumnsAndCutsTrailingSpaces) {
  TextTable table({{"name", Align::left}, {"n", Align::right}, {"note", Align::left}});
  table.add_row({"a", "100", "yes"});
  table.add_row({"longer", "1", ""});
  EXPECT_EQ(table.text(),
            "  name      n  note\n"
            "  a       100  yes\n"
            "  longer    1\n");
}

TEST(Table, RefusesARowOfAnotherLength) {
  TextTable table({{"one", Align::left}});
  table.add_row({"a", "b"});
  EXPECT_THROW(static_cast<void>(table.text()), InternalError);
}

}  // namespace
}  // namespace stepsim
