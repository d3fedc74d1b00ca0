// What both halves of a Lane promise together: kinds, batches, credit and wrap-around. The tests of
// the halves have what a lying peer can do.
#include "shm/lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "support/deadline.h"
#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

struct LaneTest : testing::Test, LaneOf<std::uint32_t> {
  LaneTest() : LaneOf(true) {}
};

// The posted buffer is the credit: nobody looks at the head.
struct PostedCreditTest : testing::Test, LaneOf<std::uint32_t> {
  PostedCreditTest() : LaneOf(false) {}
};

TEST_F(LaneTest, FreshMemoryHoldsNothing) {
  EXPECT_EQ(look(), Look::kNothing);
  EXPECT_FALSE(reader.ready());
  EXPECT_FALSE(writer.publish());
}

TEST_F(LaneTest, InlineDataAndImmediateDataArriveWhole) {
  writer.put_inline(7, bytes("sixty-four bytes or so"), bytes("now"));
  EXPECT_EQ(look(), Look::kNothing) << "not published";
  EXPECT_TRUE(writer.publish());
  EXPECT_TRUE(reader.ready());
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kInline);
  EXPECT_EQ(record.index, 7U);
  EXPECT_EQ(data(), "sixty-four bytes or so");
  EXPECT_EQ(immediate(), "now");
  EXPECT_EQ(look(), Look::kMessage) << "until pop()";
  reader.pop(record);
  EXPECT_EQ(look(), Look::kNothing);
}

TEST_F(LaneTest, EveryLengthOfInlineAndImmediateDataArrives) {
  std::string text(256, ' ');
  for (std::size_t n = 0; n < text.size(); ++n) text[n] = static_cast<char>('a' + n % 26);
  for (std::size_t length = 0; length <= kLanePayload; ++length) {
    for (const std::size_t immediate_length :
         {0U, 1U, 7U, 8U, 47U, 48U, 80U, 81U, 112U, 113U, 256U}) {
      const std::string given = text.substr(0, immediate_length);
      writer.put_inline(1, bytes(text).first(length), bytes(given));
      writer.publish();
      ASSERT_EQ(look(), Look::kMessage);
      ASSERT_EQ(data(), text.substr(0, length));
      ASSERT_EQ(immediate(), given) << length;
      reader.pop(record);
      static_cast<void>(reader.flush());
      ASSERT_NE(writer.room(), 0U);
    }
  }
}

TEST_F(LaneTest, EveryKindSaysWhatItCarries) {
  writer.put_immediate(1, bytes("only this"));
  writer.put_direct(2, kMaxLaneLength, bytes(std::string(256, 'i')));
  writer.put_hand_over(3, 11, 12, {.offset = 13, .length = 14}, {});
  const auto job =
      writer.put_job(4, 21, {.offset = 22, .length = 1U << 20U}, kChunkShift, bytes("job"));
  EXPECT_EQ(job.chunks(), 32U);
  writer.publish();
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kImmediate);
  EXPECT_EQ(immediate(), "only this");
  reader.pop(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kDirect);
  EXPECT_EQ(record.length, kMaxLaneLength);
  EXPECT_EQ(immediate(), std::string(256, 'i'));
  reader.pop(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kHandOver);
  EXPECT_EQ(record.map(), 11U);
  EXPECT_EQ(record.handle(), 12U);
  EXPECT_EQ(record.source().offset, 13U);
  EXPECT_EQ(record.source().length, 14U);
  reader.pop(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kJob);
  EXPECT_EQ(record.map(), 21U);
  EXPECT_EQ(record.source().offset, 22U);
  EXPECT_EQ(immediate(), "job");
  ChunkJob<> helper = reader.job(record);
  ChunkJob<>::Chunk chunk;
  for (int n = 0; n < 32; ++n) {
    ASSERT_TRUE(helper.claim(chunk)) << n;
    helper.copied();
  }
  EXPECT_EQ(helper.state(), JobState::kFinished);
}

TEST_F(LaneTest, ABatchIsSeenWholeOrNotAtAll) {
  for (std::uint16_t n = 0; n < 3; ++n) writer.put_immediate(n, {});
  EXPECT_EQ(look(), Look::kNothing) << "the first word of the first is withheld";
  writer.publish();
  for (std::uint16_t n = 0; n < 3; ++n) {
    ASSERT_EQ(look(), Look::kMessage) << n;
    EXPECT_EQ(record.index, n);
    reader.pop(record);
  }
  EXPECT_EQ(look(), Look::kNothing);
}

TEST_F(LaneTest, AStagedMessageComesInChunksThatFollowEachOther) {
  writer.put_staged(3, 1000, {.offset = 0, .length = 600}, bytes("imm"));
  writer.put_staged_next(3, {.offset = 600, .length = 400});
  writer.put_immediate(4, {});
  writer.publish();
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kStaged);
  EXPECT_EQ(record.length, 1000U);
  EXPECT_EQ(record.chunk().length, 600U);
  EXPECT_EQ(immediate(), "imm");
  EXPECT_EQ(reader.left_behind(record), 400U);
  reader.pop(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.chunk().offset, 600U);
  EXPECT_EQ(reader.left_behind(record), 0U);
  reader.pop(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.kind, LaneKind::kImmediate);
}

TEST_F(PostedCreditTest, TheHeadIsNeitherReadNorWritten) {
  shared.head.publish(77, std::memory_order_relaxed);
  for (std::uint16_t n = 0; n < 3 * kSlots; ++n) {
    ASSERT_EQ(writer.room(), kSlots);
    writer.put_immediate(n, {});
    writer.publish();
    ASSERT_EQ(look(), Look::kMessage);
    ASSERT_EQ(record.index, n);
    reader.pop(record);
  }
  EXPECT_FALSE(reader.flush());
  EXPECT_EQ(shared.head.fetch(), 77U);
  EXPECT_FALSE(writer.broken());
}

TEST_F(PostedCreditTest, AMessageOfTheLapBeforeIsNotTakenForANewOne) {
  for (std::uint16_t n = 0; n < kSlots; ++n) writer.put_immediate(n, {});
  writer.publish();
  for (std::uint16_t n = 0; n < kSlots; ++n) {
    ASSERT_EQ(look(), Look::kMessage);
    reader.pop(record);
  }
  EXPECT_EQ(look(), Look::kNothing);
}

// Puts the next few numbers, one by one or as far as they go into a row.
template <class Position>
void put(LaneOf<Position>& lane, std::uint64_t& sent, std::uint64_t count, bool in_row) {
  while (count != 0) {
    const std::array numbers{sent, sent + 1, sent + 2, sent + 3};
    const auto number = [&](std::size_t n) {
      return std::as_bytes(std::span(numbers).subspan(n, 1));
    };
    const auto index = static_cast<std::uint16_t>(sent);
    std::size_t put = 1;
    if (in_row) {
      typename LaneWriter<FastMachine, Position>::Walk walk(lane.writer);
      put = walk.put_alike(index, count, number);
    } else {
      lane.writer.put_inline(index, number(0), {});
    }
    sent += put;
    count -= put;
  }
}

// Random batches against a count; positions of eight bits come round every 256 messages.
template <class Position>
void come_round(std::uint64_t messages, std::mt19937_64& random) {
  LaneOf<Position> lane(true);
  std::uint64_t sent = 0, received = 0;
  while (received < messages) {
    const std::uint64_t room = lane.writer.room();
    // For long all are in rows: what else lies in a slot gets old.
    put(lane, sent, std::min(random() % 5, room), received / 1024 % 2 == 0 || random() % 2 == 0);
    lane.writer.publish();
    for (std::uint64_t batch = random() % 4; batch != 0 && lane.look() == Look::kMessage; --batch) {
      ASSERT_EQ(lane.record.index, static_cast<std::uint16_t>(received));
      std::uint64_t got = 0;
      lane.reader.copy_data(reinterpret_cast<std::byte*>(&got), lane.record);
      ASSERT_EQ(got, received);
      lane.reader.pop(lane.record);
      ++received;
    }
    if (random() % 4 == 0) static_cast<void>(lane.reader.flush());
    ASSERT_LE(sent - received, LaneOf<Position>::kSlots);
    ASSERT_FALSE(lane.writer.broken() || lane.reader.broken());
    if (received == sent) static_cast<void>(lane.reader.flush());
  }
}

TEST(LaneWrapTest, PositionsOfEightAndSixteenBitsComeRoundManyTimes) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE("COMCH_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  come_round<std::uint8_t>(300'000, random);
  come_round<std::uint16_t>(300'000, random);
}

}  // namespace
}  // namespace comch::shm
