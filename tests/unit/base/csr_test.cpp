// Do rows keep what was put into them, and can ids of two kinds be mixed up?
#include "sim/base/csr.h"

#include <gtest/gtest.h>

#include <concepts>

#include "sim/base/error.h"
#include "sim/base/ids.h"

namespace stepsim {
namespace {

static_assert(!std::convertible_to<RankId, DeviceId>);
static_assert(!std::equality_comparable_with<RankId, DeviceId>);
static_assert(!std::convertible_to<std::uint32_t, RankId>);

std::vector<int> row_of(const Csr<int>& csr, std::size_t r) { return {csr.row(r).begin(), csr.row(r).end()}; }

TEST(Csr, StartsWithoutRows) {
  const Csr<int> csr;
  EXPECT_EQ(csr.rows(), 0U);
  EXPECT_EQ(csr.items(), 0U);
}

TEST(Csr, RowsKeepTheirItemsInOrder) {
  Csr<int> csr;
  csr.add_item(1);
  csr.add_item(2);
  csr.end_row();
  csr.end_row();  // an empty row
  csr.add_row(std::vector<int>{5, 4, 3});
  ASSERT_EQ(csr.rows(), 3U);
  EXPECT_EQ(csr.items(), 5U);
  EXPECT_EQ(row_of(csr, 0), (std::vector<int>{1, 2}));
  EXPECT_TRUE(csr.row(1).empty());
  EXPECT_EQ(row_of(csr, 2), (std::vector<int>{5, 4, 3}));
}

TEST(IdVector, PushBackNumbersFromZero) {
  IdVector<OpId, int> ops;
  EXPECT_TRUE(ops.empty());
  EXPECT_EQ(ops.push_back(7).index(), 0U);
  const OpId second = ops.push_back(9);
  EXPECT_EQ(second.index(), 1U);
  EXPECT_EQ(ops[second], 9);
}

TEST(SimAssert, ThrowsOnlyWhenFalse) {
  EXPECT_NO_THROW(sim_assert(true, "holds"));
  EXPECT_THROW(sim_assert(false, "report this"), InternalError);
}

}  // namespace
}  // namespace stepsim
