// The contract of PostedRing: laps, deferred posts, and descriptors that lie.
#include "shm/posted_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace comch::shm {
namespace {

// A ring of eight slots, for a depth of four, over a memory map of 4096 bytes.
template <class Position>
struct PostedRingOf {
  static constexpr std::uint32_t kSlots = 8;
  static constexpr std::uint64_t kMap = 4096;

  Look read(Position position) {
    posted = {};
    return reader.read(position, posted);
  }

  void write(std::size_t slot, std::uint64_t offset, std::uint64_t word) {
    FastMachine::store_word(ring.data(), slot * kPostedSize, offset);
    FastMachine::store_word(ring.data(), slot * kPostedSize + 8, word);
  }

  alignas(kCacheLine) std::array<std::byte, kSlots * kPostedSize> ring{};
  alignas(kCacheLine) std::array<std::byte, 8> run{};
  PostedWriter<FastMachine, Position> writer{run.data(), ring.data(), kSlots};
  PostedReader<FastMachine, Position> reader{run.data(), ring.data(), kSlots, kMap};
  Posted posted;
};

struct PostedRingTest : testing::Test, PostedRingOf<std::uint32_t> {};

TEST_F(PostedRingTest, FreshMemoryHoldsNothing) {
  for (std::uint32_t n = 0; n < kSlots; ++n) EXPECT_EQ(read(n), Look::kNothing) << n;
  EXPECT_FALSE(reader.ready(0));
}

TEST_F(PostedRingTest, APostIsSeenWhenItIsPublished) {
  writer.post(7, 64, 100);
  EXPECT_EQ(read(0), Look::kNothing);
  EXPECT_EQ(writer.held(), 1U);
  EXPECT_TRUE(writer.publish());
  EXPECT_TRUE(reader.ready(0));
  ASSERT_EQ(read(0), Look::kMessage);
  EXPECT_EQ(posted, (Posted{.offset = 64, .capacity = 100, .index = 7}));
  EXPECT_TRUE(posted.has_buffer());
  EXPECT_FALSE(writer.publish()) << "nothing is left";
  EXPECT_EQ(read(1), Look::kNothing);
}

TEST_F(PostedRingTest, ABatchIsSeenAsAWhole) {
  writer.post(0, 0, 1);
  writer.publish();
  ASSERT_EQ(read(0), Look::kMessage);
  writer.post(1, 0, 1);
  writer.post(2, 8, 1);
  EXPECT_EQ(read(1), Look::kNothing) << "a reader in order sees nothing before the first";
  writer.publish();
  EXPECT_EQ(read(1), Look::kMessage);
  ASSERT_EQ(read(2), Look::kMessage);
  EXPECT_EQ(posted, (Posted{.offset = 8, .capacity = 1, .index = 2}));
  EXPECT_EQ(read(3), Look::kNothing);
}

TEST_F(PostedRingTest, ALongBatchGoesOutByItself) {
  for (const std::uint32_t depth : {16U, 32U, 256U}) {
    const auto length = static_cast<std::uint16_t>(std::min(depth / 4, kPostedTogether));
    const std::uint32_t slots = posted_slots(depth);
    std::vector<std::uint64_t> words(std::size_t{slots} * kPostedSize / sizeof(std::uint64_t));
    const auto long_ring = std::as_writable_bytes(std::span(words));
    PostedWriter<FastMachine> long_writer(run.data(), long_ring.data(), slots);
    const PostedReader<FastMachine> long_reader(run.data(), long_ring.data(), slots, kMap);
    for (std::uint16_t n = 1; n < length; ++n) long_writer.post(n, 0, 1);
    EXPECT_FALSE(long_reader.ready(0)) << depth;
    EXPECT_EQ(long_writer.held(), length - 1U);
    long_writer.post(0, 0, 1);
    EXPECT_EQ(long_writer.held(), 0U) << depth;
    for (std::uint32_t n = 0; n < length; ++n) EXPECT_TRUE(long_reader.ready(n)) << n;
  }
}

TEST_F(PostedRingTest, TheRunIsPublishedWithTheDescriptorsThatItCounts) {
  writer.post(0, 0, 64);
  writer.post(1, 64, 64);
  EXPECT_FALSE(reader.run().covers(0));
  writer.publish();
  ASSERT_TRUE(reader.run().covers(0));
  EXPECT_TRUE(reader.run().covers(1));
  EXPECT_EQ(reader.slots_from(1)[0], 1U);
  ASSERT_EQ(read(1), Look::kMessage);
  EXPECT_EQ(posted.index, reader.slots_from(1)[0]);
}

TEST_F(PostedRingTest, TheRunDoesNotCoverAnIndexThatIsNotItsSlot) {
  writer.post(0, 0, 64);
  writer.post(5, 64, 64);
  writer.post(2, 128, 64);
  writer.publish();
  EXPECT_EQ(reader.run().behind(0), 3U);
  EXPECT_FALSE(reader.run().covers(0));
  EXPECT_FALSE(reader.run().covers(1));
  EXPECT_TRUE(reader.run().covers(2));
  PostedWriter<FastMachine>::Walk walk(writer);
  EXPECT_EQ(walk.next_slot(), 3U);
}

TEST_F(PostedRingTest, PostsThatAreAlikeAreWrittenAsAnyOther) {
  PostedRingOf<std::uint32_t> other;
  for (std::uint32_t n = 0; n < 3 * kSlots; ++n) {
    const auto index = static_cast<std::uint16_t>(n % kSlots);
    writer.post(index, n, 64);
    const auto next = [&](std::uint16_t asked) {
      EXPECT_EQ(asked, index);
      return std::uint64_t{n};
    };
    if (other.writer.post_alike(64, 1, next) == 0) other.writer.post(index, n, 64);
    EXPECT_EQ(other.writer.held(), writer.held());
    if (n % 7 == 0) {
      EXPECT_EQ(other.writer.publish(), writer.publish());
    }
    EXPECT_EQ(other.ring, ring) << n;
    EXPECT_EQ(other.run, this->run) << n;
  }
}

TEST_F(PostedRingTest, PostsThatAreAlikeEndWithTheirBatchOrLapOrWhereThereIsNoNext) {
  const auto next = [](std::uint16_t index) { return std::uint64_t{index}; };
  EXPECT_EQ(writer.post_alike(64, 9, next), 0U) << "the first of a batch is withheld";
  writer.post(0, 0, 64);
  EXPECT_EQ(writer.post_alike(64, 0, next), 0U);
  EXPECT_EQ(writer.post_alike(64, 9, next), 3U) << "the batch has its length";
  EXPECT_EQ(writer.held(), 0U);
  writer.post(4, 4, 64);
  const auto one = [](std::uint16_t index) { return index == 5 ? std::uint64_t{5} : kNoBuffer; };
  EXPECT_EQ(writer.post_alike(64, 9, one), 1U);
  writer.publish();
  writer.post(6, 6, 64);
  EXPECT_EQ(writer.post_alike(64, 9, next), 1U) << "the lap ends";
  writer.publish();
  for (std::uint32_t n = 0; n < kSlots; ++n) {
    ASSERT_EQ(read(n), Look::kMessage);
    EXPECT_EQ(posted.index, n);
    EXPECT_EQ(posted.offset, n);
    EXPECT_TRUE(reader.run().covers(n));
  }
}

TEST_F(PostedRingTest, PostsThatAreAlikeMayHaveAnotherCapacityThanTheOneBefore) {
  const auto next = [](std::uint16_t index) { return std::uint64_t{index}; };
  writer.post(7, 0, 64);
  EXPECT_EQ(writer.post_alike(8, 2, next), 2U);
  writer.publish();
  EXPECT_FALSE(reader.run().covers(0));
  ASSERT_TRUE(reader.run().covers(1));
  EXPECT_EQ(reader.run().room(), 8U);
  ASSERT_EQ(read(2), Look::kMessage);
  EXPECT_EQ(posted.capacity, 8U);
}

TEST_F(PostedRingTest, APostWithoutBufferIsForImmediateDataAlone) {
  writer.post_without_buffer(9);
  writer.publish();
  ASSERT_EQ(read(0), Look::kMessage);
  EXPECT_FALSE(posted.has_buffer());
  EXPECT_EQ(posted.capacity, 0U);
  EXPECT_EQ(posted.index, 9U);
}

TEST_F(PostedRingTest, TheLargestFieldsSurviveTheWord) {
  PostedReader<> trusting(run.data(), ring.data(), kSlots, ~0ULL);
  writer.post(0xffff, 123, kMaxPostedCapacity);
  writer.publish();
  ASSERT_EQ(trusting.read(0, posted), Look::kMessage);
  EXPECT_EQ(posted, (Posted{.offset = 123, .capacity = kMaxPostedCapacity, .index = 0xffff}));
}

TEST_F(PostedRingTest, ADescriptorOfTheLapBeforeIsNotTakenForANewOne) {
  for (std::uint16_t n = 0; n < kSlots; ++n) writer.post(n, n, 1);
  writer.publish();
  EXPECT_EQ(read(kSlots), Look::kNothing);
  writer.post(100, 100, 1);
  writer.publish();
  ASSERT_EQ(read(kSlots), Look::kMessage);
  EXPECT_EQ(posted.index, 100U);
  EXPECT_EQ(read(0), Look::kNothing) << "nor the new one for that of the lap before";
}

TEST_F(PostedRingTest, ARangeOutsideOfTheMemoryMapBreaksIt) {
  for (const auto& [offset, capacity] : {std::pair{0ULL, 4097ULL},
                                         {4097ULL, 0ULL},
                                         {4096ULL, 1ULL},
                                         {~0ULL, 1ULL},
                                         {~0ULL, 2ULL},
                                         {~0ULL - 1, 2ULL},
                                         {1ULL << 63U, 1ULL}}) {
    write(0, offset, posted_word(1, 0, capacity));
    EXPECT_EQ(read(0), Look::kBroken) << offset << " " << capacity;
  }
  write(0, 4096, posted_word(1, 0, 0));
  EXPECT_EQ(read(0), Look::kMessage) << "no bytes at the very end";
}

TEST(PostedRingWrapTest, PositionsOfEightAndSixteenBitsComeRoundManyTimes) {
  const auto run = [](auto width) {
    PostedRingOf<decltype(width)> ring;
    for (std::uint32_t n = 0; n < 300'000; ++n) {
      const auto position = static_cast<decltype(width)>(n);
      ASSERT_EQ(ring.read(position), Look::kNothing) << n;
      ring.writer.post(static_cast<std::uint16_t>(n), n % 4096, 0);
      ring.writer.publish();
      ASSERT_EQ(ring.read(position), Look::kMessage) << n;
      ASSERT_EQ(ring.posted.index, static_cast<std::uint16_t>(n));
    }
  };
  run(std::uint8_t{});
  run(std::uint16_t{});
}

TEST(PostedRingSlotsTest, ThereAreTwiceAsManySlotsAsPostsAtLeast) {
  for (std::uint32_t depth = 1; depth <= kMaxDepth; ++depth) {
    const std::uint32_t slots = posted_slots(depth);
    ASSERT_GE(slots, 2 * depth);
    ASSERT_TRUE(std::has_single_bit(slots));
    ASSERT_EQ(slots % kPostedPerLine, 0U);
  }
}

}  // namespace
}  // namespace comch::shm
