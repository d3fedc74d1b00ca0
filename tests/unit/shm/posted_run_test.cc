// The contract of PostedRun: what one word says of the buffers posted last.
#include "shm/posted_run.h"

#include <gtest/gtest.h>

namespace comch::shm {
namespace {

TEST(PostedRunTest, AFreshWordSaysThatNothingIsPosted) {
  const PostedRun<> run(0);
  EXPECT_EQ(run.behind(0), 0U);
  EXPECT_FALSE(run.covers(0));
}

TEST(PostedRunTest, CoversWhatIsAlikeAndSaysHowMuchRoomThereIs) {
  PostedRun<> posted;
  for (int n = 0; n < 3; ++n) posted.add(true, 64);
  const PostedRun<> run(posted.word());
  EXPECT_EQ(run.end(), 3U);
  EXPECT_EQ(run.room(), 64U);
  for (std::uint32_t position = 0; position < 3; ++position) EXPECT_TRUE(run.covers(position));
  EXPECT_EQ(run.behind(1), 2U);
  EXPECT_FALSE(run.covers(3)) << "it is not posted yet";
  EXPECT_FALSE(run.covers(~0U)) << "it was posted a long time ago";
}

TEST(PostedRunTest, BeginsAnewBehindAnIndexThatIsNotItsSlot) {
  PostedRun<> posted;
  posted.add(true, 64);
  posted.add(false, 64);
  EXPECT_FALSE(posted.covers(1)) << "its index is another";
  EXPECT_EQ(posted.behind(0), 2U) << "it is counted";
  posted.add(true, 64);
  const PostedRun<> run(posted.word());
  EXPECT_FALSE(run.covers(0));
  EXPECT_FALSE(run.covers(1));
  EXPECT_TRUE(run.covers(2));
}

TEST(PostedRunTest, BeginsAnewWithAnotherRoom) {
  PostedRun<> posted;
  posted.add(true, 64);
  posted.add(true, 63);
  EXPECT_EQ(posted.room(), 63U);
  EXPECT_FALSE(posted.covers(0)) << "it is known by its descriptor alone";
  EXPECT_TRUE(posted.covers(1));
}

TEST(PostedRunTest, SeveralAreCountedAtOnce) {
  PostedRun<> one_by_one;
  PostedRun<> at_once;
  for (const std::uint32_t count : {1U, 15U, 16U}) {
    const std::uint64_t capacity = count == 16 ? 8 : 64;
    for (std::uint32_t n = 0; n < count; ++n) one_by_one.add(true, capacity);
    at_once.add(true, capacity, count);
    EXPECT_EQ(at_once.word(), one_by_one.word());
  }
}

TEST(PostedRunTest, DoesNotTellApartWhatIsLongerThanASlotsPayload) {
  PostedRun<> posted;
  posted.add(true, PostedRun<>::kMostRoom);
  posted.add(true, std::uint64_t{1} << 39U);
  EXPECT_EQ(PostedRun<>(posted.word()).room(), PostedRun<>::kMostRoom);
  EXPECT_TRUE(posted.covers(0));
}

TEST(PostedRunTest, NobodyIsBelievedWhoSaysMoreRoomThanASlotHas) {
  for (const std::uint64_t lie : {113U, 8192U, 0xffffU}) {
    EXPECT_EQ(PostedRun<>(lie << 48U | std::uint64_t{1} << 32U | 1U).room(),
              PostedRun<>::kMostRoom);
  }
}

TEST(PostedRunTest, SaysLessRatherThanTooMuchOfALongRun) {
  PostedRun<> posted;
  for (int n = 0; n < 70'000; ++n) posted.add(true, 8);
  const PostedRun<> run(posted.word());
  EXPECT_TRUE(run.covers(69'999));
  EXPECT_TRUE(run.covers(70'000 - 0xffff));
  EXPECT_FALSE(run.covers(70'000 - 0xffff - 1));
}

TEST(PostedRunTest, PositionsOfEightBitsComeRoundManyTimes) {
  PostedRun<std::uint8_t> posted;
  for (std::uint32_t n = 0; n < 2000; ++n) {
    posted.add(n % 100 != 0, 8);
    const PostedRun<std::uint8_t> run(posted.word());
    EXPECT_EQ(run.end(), static_cast<std::uint8_t>(n + 1));
    EXPECT_EQ(run.covers(static_cast<std::uint8_t>(n)), n % 100 != 0) << n;
    EXPECT_FALSE(run.covers(static_cast<std::uint8_t>(n + 1))) << n;
  }
}

}  // namespace
}  // namespace comch::shm
