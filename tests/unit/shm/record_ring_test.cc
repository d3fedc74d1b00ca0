// The contract of RecordRing: records, room, wrap-around, and what a lying peer can do.
#include "shm/record_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "support/deadline.h"

namespace comch::shm {
namespace {

// A ring of 128 bytes for messages of up to 48 (strides of 8 to 56) and at most `queue` of
// them, with both halves in this process. The words and the bytes are reachable, so that a
// test can play the peer who writes nonsense.
template <class Position>
struct Ring {
  static constexpr std::uint32_t kCapacity = 128;
  static constexpr std::uint32_t kMaxMessage = 48;

  explicit Ring(std::uint32_t queue = 64, bool stamped = false)
      : sender(shared, data.data(), kCapacity, kMaxMessage, queue),
        receiver(shared, data.data(), kCapacity, kMaxMessage, queue, stamped) {}

  Status push(std::string_view text) { return sender.push(std::as_bytes(std::span(text))); }

  Look look() {
    std::uint32_t size = 0;
    const Look found = receiver.look(scratch.data(), size);
    message.assign(reinterpret_cast<const char*>(scratch.data()),
                   found == Look::kMessage ? size : 0);
    return found;
  }

  // The next message, which is then forgotten; "nothing" and "broken" speak for themselves.
  std::string take() {
    const Look found = look();
    if (found != Look::kMessage) return found == Look::kNothing ? "nothing" : "broken";
    receiver.pop();
    return message;
  }

  void write_header(std::uint32_t offset, std::uint64_t header) {
    RealMachine::store_header(data.data(), offset, header, std::memory_order_release);
  }

  std::uint64_t header(std::uint32_t offset) {
    return RealMachine::load_header(data.data(), offset, std::memory_order_relaxed);
  }

  RingShared<RealMachine, Position> shared{};
  alignas(8) std::array<std::byte, kCapacity> data{};
  RecordSender<RealMachine, Position> sender;
  RecordReceiver<RealMachine, Position> receiver;
  std::array<std::byte, kMaxMessage> scratch{};
  std::string message;
};

struct RecordRingTest : testing::Test, Ring<std::uint64_t> {};

TEST_F(RecordRingTest, DeliversMessagesOnceInOrder) {
  ASSERT_TRUE(push("one"));
  ASSERT_TRUE(push(""));
  ASSERT_TRUE(push("three"));
  EXPECT_EQ(take(), "one");
  EXPECT_EQ(take(), "");
  EXPECT_EQ(take(), "three");
  EXPECT_EQ(take(), "nothing");
}

TEST_F(RecordRingTest, LookingAgainCopiesTheSameMessageAgain) {
  ASSERT_TRUE(push("same"));
  EXPECT_TRUE(receiver.ready());
  EXPECT_EQ(look(), Look::kMessage);
  EXPECT_EQ(look(), Look::kMessage);
  EXPECT_EQ(message, "same");
  receiver.pop();
  EXPECT_FALSE(receiver.ready());
}

TEST_F(RecordRingTest, AMessageAboveTheLimitIsTooBigAndChangesNothing) {
  EXPECT_EQ(push(std::string(kMaxMessage + 1, 'x')).error().code, Errc::too_big);
  EXPECT_EQ(take(), "nothing");
  EXPECT_TRUE(push(std::string(kMaxMessage, 'x')));
  EXPECT_EQ(take(), std::string(kMaxMessage, 'x'));
}

TEST_F(RecordRingTest, AFullRingAsksToTryAgainUntilTheReceiverGivesRoom) {
  // 16 bytes each: seven fit, for the eighth would leave no place to say "not yet".
  for (int n = 0; n < 7; ++n) ASSERT_TRUE(push("8 bytes!")) << n;
  EXPECT_FALSE(sender.has_room(8));
  EXPECT_EQ(push("8 bytes!").error().code, Errc::again);
  EXPECT_EQ(take(), "8 bytes!");
  EXPECT_TRUE(receiver.flush());
  EXPECT_TRUE(sender.has_room(8));
  EXPECT_TRUE(push("8 bytes!"));
}

TEST_F(RecordRingTest, ARecordThatDoesNotFitBeforeTheEndIsSentPastAPadding) {
  ASSERT_TRUE(push(std::string(48, 'a')));  // To 56.
  ASSERT_TRUE(push(std::string(40, 'b')));  // To 104: 24 bytes to the end.
  EXPECT_EQ(take(), std::string(48, 'a'));
  EXPECT_EQ(take(), std::string(40, 'b'));
  ASSERT_TRUE(receiver.flush());
  ASSERT_TRUE(push(std::string(32, 'c')));
  EXPECT_EQ(header(104), record_header(kRecordPadding, 16));
  EXPECT_EQ(header(0), record_header(kRecordMessage, 32));
  EXPECT_EQ(take(), std::string(32, 'c'));
  EXPECT_EQ(take(), "nothing");
}

TEST_F(RecordRingTest, TheBytesAreThoseOfTheExampleInTheFormat) {
  ASSERT_TRUE(push(std::string(32, 'a')));
  ASSERT_TRUE(push(std::string(32, 'b')));
  ASSERT_TRUE(push("ccc"));
  ASSERT_EQ(take(), std::string(32, 'a'));
  ASSERT_EQ(take(), std::string(32, 'b'));
  ASSERT_TRUE(receiver.flush());
  ASSERT_TRUE(push(std::string(32, 'd')));
  EXPECT_EQ(header(0x00), 0x0000'0001'0000'0020U);
  EXPECT_EQ(header(0x28), 0U);
  EXPECT_EQ(header(0x50), 0x0000'0001'0000'0003U);
  EXPECT_EQ(header(0x60), 0x0000'0002'0000'0018U);
}

TEST_F(RecordRingTest, AnEmptyRingTakesTheLargestMessageWhereverItBegins) {
  for (std::uint32_t begin = 0; begin < 2 * kCapacity; begin += kRecordHeader) {
    ASSERT_TRUE(push(std::string(kMaxMessage, 'x'))) << begin;
    EXPECT_EQ(take(), std::string(kMaxMessage, 'x'));
    static_cast<void>(receiver.flush());
    ASSERT_TRUE(push(""));  // Moves the beginning by eight.
    EXPECT_EQ(take(), "");
    static_cast<void>(receiver.flush());
  }
}

TEST_F(RecordRingTest, RoomGoesBackInEighthsAndTheRestAtFlush) {
  ASSERT_TRUE(push(""));
  ASSERT_TRUE(push("8 bytes!"));
  EXPECT_EQ(take(), "");
  EXPECT_EQ(shared.head_bytes.fetch(), 0U);  // 8 bytes: below an eighth of 128.
  EXPECT_EQ(take(), "8 bytes!");
  EXPECT_EQ(shared.head_bytes.fetch(), 24U);
  EXPECT_TRUE(receiver.flush()) << "room given by a pop() is told by the next flush()";
  EXPECT_FALSE(receiver.flush());
  ASSERT_TRUE(push(""));
  EXPECT_EQ(take(), "");
  EXPECT_TRUE(receiver.flush());
  EXPECT_EQ(shared.head_bytes.fetch(), 32U);
  EXPECT_EQ(shared.head_messages.fetch(), 3U);
}

TEST_F(RecordRingTest, EvenWithoutRoomWhatIsRefusedNeedNotWait) {
  for (int n = 0; n < 7; ++n) ASSERT_TRUE(push("8 bytes!"));
  EXPECT_TRUE(sender.has_room(kMaxMessage + 1)) << "push() answers too_big at once";
}

TEST(RecordRingQueueTest, UnreadMessagesAreBoundedToo) {
  Ring<std::uint64_t> ring(2);
  ASSERT_TRUE(ring.push(""));
  ASSERT_TRUE(ring.push(""));
  EXPECT_EQ(ring.push("").error().code, Errc::again);
  EXPECT_EQ(ring.take(), "");
  EXPECT_TRUE(ring.push("")) << "with so short a queue each message read gives room at once";
}

// A peer who lies.

TEST_F(RecordRingTest, AReceiverThatClaimsUnsentBytesIsNamedOnceAndForGood) {
  for (int n = 0; n < 7; ++n) ASSERT_TRUE(push("8 bytes!"));
  shared.head_bytes.publish(7 * 16 + 1, std::memory_order_relaxed);
  EXPECT_EQ(push("x").error().code, Errc::connection_reset);
  shared.head_bytes.publish(0, std::memory_order_relaxed);  // Too late to take it back.
  EXPECT_EQ(push("x").error().code, Errc::connection_reset);
  EXPECT_TRUE(sender.broken());
  EXPECT_TRUE(sender.has_room(1)) << "nobody sleeps on a broken ring";
}

TEST_F(RecordRingTest, AReceiverThatClaimsUnsentMessagesIsNamed) {
  for (int n = 0; n < 7; ++n) ASSERT_TRUE(push("8 bytes!"));
  shared.head_messages.publish(8, std::memory_order_relaxed);
  EXPECT_EQ(push("x").error().code, Errc::connection_reset);
}

TEST_F(RecordRingTest, AReceiverThatTakesBackWhatItReadIsNamed) {
  for (int n = 0; n < 7; ++n) ASSERT_TRUE(push("8 bytes!"));
  shared.head_bytes.publish(32, std::memory_order_relaxed);
  ASSERT_TRUE(push("8 bytes!"));
  shared.head_bytes.publish(16, std::memory_order_relaxed);
  while (push("8 bytes!")) continue;
  EXPECT_EQ(push("8 bytes!").error().code, Errc::connection_reset);
}

// Stamps.

struct StampedRing : Ring<std::uint64_t> {
  StampedRing() : Ring(64, true) {}
  Status push(std::string_view text, std::uint64_t stamp) {
    return sender.push(std::as_bytes(std::span(text)), stamp);
  }
};
struct StampedRingTest : testing::Test, StampedRing {};

TEST_F(StampedRingTest, EveryMessageBringsItsStampRoundTheRingsEndToo) {
  for (std::uint64_t n = 0; n < 100; ++n) {
    const std::uint64_t stamp = (n * 0x9e37'79b9'7f4a'7c15U) >> 24;
    const std::string text(n % 49, 'm');
    ASSERT_TRUE(push(text, stamp));
    ASSERT_EQ(take(), text);
    EXPECT_EQ(receiver.stamp(), stamp);
  }
}

struct StampedRingBadHeaderTest : testing::TestWithParam<std::uint64_t>, StampedRing {};

TEST_P(StampedRingBadHeaderTest, BreaksTheRingForGood) {
  write_header(0, GetParam());
  EXPECT_EQ(look(), Look::kBroken);
  write_header(0, stamped_header(1, 0));  // Too late.
  EXPECT_EQ(look(), Look::kBroken);
}

INSTANTIATE_TEST_SUITE_P(Peers, StampedRingBadHeaderTest,
                         testing::Values(record_header(kRecordMessage, 8), stamped_header(1, 49),
                                         stamped_header(1, 0xffff), record_header(4, 8),
                                         record_header(kRecordPadding, 8), ~0ULL, 8ULL));

struct BadHeader {
  const char* what;
  std::uint64_t header;
  std::uint32_t at = 0;  // Where the receiver stands.
};

struct RecordRingBadHeaderTest : testing::TestWithParam<BadHeader>, Ring<std::uint64_t> {};

TEST_P(RecordRingBadHeaderTest, BreaksTheRingForGood) {
  for (std::uint32_t at = 0; at < GetParam().at; at += kRecordHeader) {
    ASSERT_TRUE(push(""));
    ASSERT_EQ(take(), "");
  }
  write_header(GetParam().at, GetParam().header);
  EXPECT_EQ(look(), Look::kBroken);
  write_header(GetParam().at, record_header(kRecordMessage, 0));  // Too late.
  EXPECT_EQ(look(), Look::kBroken);
  EXPECT_TRUE(receiver.broken());
  EXPECT_TRUE(receiver.ready()) << "nobody sleeps on a broken ring";
}

INSTANTIATE_TEST_SUITE_P(
    Peers, RecordRingBadHeaderTest,
    testing::Values(BadHeader{"LengthAboveTheLimit", record_header(kRecordMessage, 49)},
                    BadHeader{"LengthOfFourGigabytes", record_header(kRecordMessage, ~0U)},
                    BadHeader{"NoKind", 8}, BadHeader{"UnknownKind", record_header(4, 8)},
                    BadHeader{"StampNobodyAskedFor", stamped_header(1, 8)},
                    BadHeader{"ReservedBits", record_header(kRecordMessage, 8) | 1ULL << 40U},
                    BadHeader{"AllOnes", ~0ULL},
                    BadHeader{"MessagePastTheEnd", record_header(kRecordMessage, 17), 104},
                    BadHeader{"PaddingTooShort", record_header(kRecordPadding, 8), 104},
                    BadHeader{"PaddingPastTheEnd", record_header(kRecordPadding, 24), 104},
                    BadHeader{"PaddingBeforeAnythingNew", record_header(kRecordPadding, 120), 0}),
    [](const auto& tested) { return tested.param.what; });

TEST_F(RecordRingTest, APaddingMustBeFollowedByAMessage) {
  for (int n = 0; n < 13; ++n) {
    ASSERT_TRUE(push(""));
    ASSERT_EQ(take(), "");
  }
  write_header(0, record_header(kRecordPadding, kCapacity - kRecordHeader));
  write_header(104, record_header(kRecordPadding, 16));
  EXPECT_EQ(look(), Look::kBroken);
}

TEST_F(RecordRingTest, WhatIsLookedAtIsACopy) {
  ASSERT_TRUE(push("before"));
  ASSERT_EQ(look(), Look::kMessage);
  data[kRecordHeader] = std::byte{'X'};
  EXPECT_EQ(message, "before");
}

TEST_F(RecordRingTest, AHeaderThatChangesAfterTheLookDoesNotMoveTheReceiver) {
  ASSERT_TRUE(push("first"));
  ASSERT_TRUE(push("second"));
  ASSERT_EQ(look(), Look::kMessage);
  write_header(0, record_header(kRecordMessage, 48));
  receiver.pop();
  EXPECT_EQ(take(), "second");
}

// Positions narrow enough to come round many times.
template <class Position>
struct RecordRingWrapTest : testing::Test {};
using Positions = testing::Types<std::uint8_t, std::uint16_t, std::uint64_t>;
TYPED_TEST_SUITE(RecordRingWrapTest, Positions);

TYPED_TEST(RecordRingWrapTest, RandomTrafficMatchesAQueueLapAfterLap) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE(testing::Message() << "COMCH_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  Ring<TypeParam> ring(6);
  std::deque<std::string> sent;
  std::uint64_t bytes = 0;
  // A million times round for positions of 8 bits, which is twice round the ring each.
  const std::uint64_t enough = sizeof(TypeParam) == 1 ? 256'000'000 : 30'000'000;
  while (bytes < enough) {
    if (random() % 2 == 0) {
      const std::string text(random() % (ring.kMaxMessage + 1), static_cast<char>(random()));
      const Status pushed = ring.push(text);
      if (pushed) {
        sent.push_back(text);
        bytes += record_stride(static_cast<std::uint32_t>(text.size()));
      } else {
        ASSERT_EQ(pushed.error().code, Errc::again);
        ASSERT_FALSE(sent.empty() && !ring.receiver.flush()) << "an empty ring refused a message";
      }
    } else if (sent.empty()) {
      ASSERT_EQ(ring.look(), Look::kNothing);
      static_cast<void>(ring.receiver.flush());
    } else {
      ASSERT_EQ(ring.take(), sent.front());
      sent.pop_front();
    }
  }
}

}  // namespace
}  // namespace comch::shm
