// Placement: which processors, and staying on them.
#include "tool/bench/placement.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "support/deadline.h"

namespace comch::tool {
namespace {

bool usable(int processor) {
  const std::vector<int> all = usable_processors();
  return std::ranges::find(all, processor) != all.end();
}

TEST(PlacementTest, ThisProcessRunsOnUsableProcessors) { EXPECT_TRUE(usable(::sched_getcpu())); }

TEST(PlacementTest, ThreadStaysWhereItIsPutAndOthersAreFree) {
  const std::vector<int> before = usable_processors();
  std::jthread([&] {
    ASSERT_TRUE(run_on(before.back()));
    EXPECT_EQ(usable_processors(), std::vector<int>{before.back()});
    EXPECT_EQ(::sched_getcpu(), before.back());
  }).join();
  EXPECT_EQ(usable_processors(), before);
}

TEST(PlacementTest, AnywhereChangesNothing) {
  const std::vector<int> before = usable_processors();
  EXPECT_TRUE(run_on(-1));
  EXPECT_EQ(usable_processors(), before);
}

TEST(PlacementTest, ProcessorThatIsNotThereIsAComplaintThatNamesIt) {
  for (int processor : {CPU_SETSIZE - 1, CPU_SETSIZE, 1'000'000}) {
    const auto placed = run_on(processor);
    ASSERT_FALSE(placed);
    EXPECT_NE(placed.error().text.find(std::to_string(processor)), std::string::npos);
  }
}

// On a busy machine there may be no pair that answers in time; then there is none, for a while.
TEST(PlacementTest, NearPairIsOfTwoUsableProcessors) {
  if (usable_processors().size() < 2) GTEST_SKIP() << "one processor has no pair";
  std::optional<ProcessorPair> pair;
  ASSERT_TRUE(test::eventually([&] { return (pair = find_near_pair()).has_value(); }));
  EXPECT_NE(pair->own, pair->peer);
  EXPECT_TRUE(usable(pair->own));
  EXPECT_TRUE(usable(pair->peer));
}

TEST(PlacementTest, OneProcessorHasNoPair) {
  std::jthread([] {
    ASSERT_TRUE(run_on(usable_processors().front()));
    EXPECT_EQ(find_near_pair(), std::nullopt);
  }).join();
}

}  // namespace
}  // namespace comch::tool
