// Two threads, one lane: that batches, staged chunks and hand-overs survive real concurrency,
// and that TSan, in its build, sees no race. What x86 alone would hide is lane_model's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "shm/lane_awaited.h"
#include "shm/lane_writer.h"
#include "shm/returns_ring.h"
#include "support/deadline.h"

namespace comch::shm {
namespace {

struct LaneThreadsTest : testing::Test {
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint64_t kBounce = 4096;
  static constexpr std::uint64_t kPiece = kBounce / kSlots;  // Of the bounce area, by slot.
  static constexpr std::uint32_t kHandles = 16;

  const LaneShape shape{.slots = kSlots,
                        .immediate_max = 256,
                        .side_stride = 256,
                        .bounce_size = kBounce,
                        .head_credit = true};
  LaneShared<> shared{};
  alignas(kCacheLine) std::array<std::byte, std::size_t{kSlots} * kLaneSlot> slots{};
  alignas(kCacheLine) std::array<std::byte, std::size_t{kSlots} * 256> side{};
  std::array<std::byte, kBounce> bounce{};
  alignas(8) std::array<std::byte, std::size_t{kHandles} * 8> returns{};
  const test::Deadline deadline{test::patience() * 3};
};

TEST_F(LaneThreadsTest, InlineMessagesOfEveryLengthArriveOnceInOrder) {
  constexpr std::uint64_t kMessages = 150'000;
  const auto fill = [](std::array<std::byte, 256>& bytes, std::uint64_t n) {
    std::memset(bytes.data(), static_cast<int>(n & 0xff), bytes.size());
  };
  std::jthread sending([&] {
    LaneWriter<> writer(shared, slots.data(), side.data(), shape);
    std::array<std::byte, 256> bytes;
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      for (std::uint64_t batch = n % 5; batch != ~0ULL && n < kMessages; --batch, ++n) {
        if (writer.room() == 0) break;
        fill(bytes, n);
        writer.put_inline(static_cast<std::uint16_t>(n), std::span(bytes).first(n % 113),
                          std::span(bytes).first(n % 257));
      }
      if (!writer.publish()) std::this_thread::yield();
    }
  });
  LaneReader<> reader(shared, slots.data(), side.data(), shape);
  std::array<std::byte, 256> expected, got;
  for (std::uint64_t n = 0; n < kMessages;) {
    LaneRecord record;
    const Look look = reader.look(record);
    ASSERT_NE(look, Look::kBroken);
    if (look == Look::kNothing) {
      static_cast<void>(reader.flush());
      ASSERT_FALSE(deadline.passed()) << "after message " << n;
      std::this_thread::yield();
      continue;
    }
    fill(expected, n);
    ASSERT_EQ(record.length, n % 113);
    ASSERT_EQ(record.immediate, n % 257);
    reader.copy_data(got.data(), record);
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), record.length), 0) << n;
    reader.copy_immediate(got.data(), record);
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), record.immediate), 0) << n;
    reader.pop(record);
    ++n;
  }
}

TEST_F(LaneThreadsTest, StagedBytesAreNotOverwrittenBeforeTheyAreCopied) {
  constexpr std::uint64_t kMessages = 4000;
  std::jthread sending([&] {
    LaneWriter<> writer(shared, slots.data(), side.data(), shape);
    for (std::uint64_t n = 0; n < kMessages; ++n) {
      const std::uint64_t chunks = 1 + n % 5;
      for (std::uint64_t k = 0; k < chunks; ++k) {
        while (writer.room() == 0) {
          writer.publish();
          if (deadline.passed()) return;
          std::this_thread::yield();
        }
        const Range chunk{(writer.position() % kSlots) * kPiece, kPiece};
        std::memset(bounce.data() + chunk.offset, static_cast<int>(n & 0xff), kPiece);
        if (k == 0) {
          writer.put_staged(static_cast<std::uint16_t>(n), chunks * kPiece, chunk, {});
        } else {
          writer.put_staged_next(static_cast<std::uint16_t>(n), chunk);
        }
        writer.publish();
      }
    }
  });
  LaneReader<> reader(shared, slots.data(), side.data(), shape);
  for (std::uint64_t n = 0; n < kMessages;) {
    LaneRecord record;
    const Look look = reader.look(record);
    ASSERT_NE(look, Look::kBroken);
    if (look == Look::kNothing) {
      static_cast<void>(reader.flush());
      ASSERT_FALSE(deadline.passed()) << "after message " << n;
      std::this_thread::yield();
      continue;
    }
    const std::vector<std::byte> expected(kPiece, static_cast<std::byte>(n & 0xff));
    ASSERT_EQ(std::memcmp(bounce.data() + record.chunk().offset, expected.data(), kPiece), 0) << n;
    if (reader.left_behind(record) == 0) ++n;
    reader.pop(record);
  }
}

TEST_F(LaneThreadsTest, MessagesOfRowsArriveOnceInOrder) {
  constexpr std::uint64_t kMessages = 150'000;
  std::jthread sending([&] {
    LaneWriter<> writer(shared, slots.data(), side.data(), shape);
    std::array<std::array<std::byte, 64>, kSlots> bytes;
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      const std::size_t most = std::min<std::uint64_t>({writer.room(), n % 7 + 1, kMessages - n});
      for (std::size_t m = 0; m < most; ++m) bytes[m].fill(static_cast<std::byte>((n + m) & 0xff));
      for (std::size_t put = 0; put < most;) {
        put += LaneWriter<>::Walk(writer).put_alike(
            static_cast<std::uint16_t>(n + put), most - put,
            [&](std::size_t m) { return std::span(bytes[put + m]); });
      }
      n += most;
      if (!writer.publish()) std::this_thread::yield();
    }
  });
  using Plain = LaneReader<>::Plain;
  LaneReader<> reader(shared, slots.data(), side.data(), shape);
  std::array<std::byte, 64> expected, got;
  const auto check = [&](std::uint64_t n, std::uint16_t index) {
    expected.fill(static_cast<std::byte>(n & 0xff));
    ASSERT_EQ(index, static_cast<std::uint16_t>(n));
    ASSERT_EQ(got, expected) << n;
  };
  std::uint64_t rows = 0;
  for (std::uint64_t n = 0; n < kMessages;) {
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    Plain found{};
    {
      LaneReader<>::Walk walk(reader);
      found = walk.look(index, length);
      if (found == Plain::kInline) {
        ASSERT_EQ(length, got.size());
        walk.copy(got.data(), length);
        ASSERT_NO_FATAL_FAILURE(check(n++, index));
        walk.pass();
      }
    }
    if (found == Plain::kRow) ++rows;
    for (LaneReader<>::Row row(reader); row.left() != 0; row.pass()) {
      row.copy(got.data());
      ASSERT_NO_FATAL_FAILURE(check(n++, row.index()));
    }
    if (found != Plain::kNothing) continue;
    static_cast<void>(reader.flush());
    ASSERT_FALSE(deadline.passed()) << "after message " << n;
    std::this_thread::yield();
  }
  EXPECT_GT(rows, 0U);
}

TEST_F(LaneThreadsTest, AwaitedMessagesArriveOnceInOrder) {
  constexpr std::uint64_t kMessages = 150'000;
  LaneShape posted = shape;
  posted.head_credit = false;
  std::atomic<std::uint64_t> received = 0;  // As who posts again says it.
  const auto index_of = [](std::uint64_t n) {
    return static_cast<std::uint16_t>(n % 10 == 9 ? n + 100 : n);
  };
  std::jthread sending([&] {
    LaneWriter<> writer(shared, slots.data(), side.data(), posted);
    std::array<std::byte, kLanePayload> bytes;
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      if (n - received.load(std::memory_order_acquire) == kSlots) {
        std::this_thread::yield();
        continue;
      }
      bytes.fill(static_cast<std::byte>(n & 0xff));
      writer.put_inline(index_of(n), std::span(bytes).first(1 + n % kLanePayload), {});
      writer.publish();
      ++n;
    }
  });
  using Reader = LaneReader<>;
  using Sight = Reader::Awaited::Sight;
  Reader reader(shared, slots.data(), side.data(), posted);
  std::array<std::byte, kLanePayload> expected, got;
  std::uint64_t awaited_ones = 0;
  const auto take = [&](std::uint64_t n) {
    Reader::Awaited awaited(reader);
    const Sight sight = awaited.is_possible() ? awaited.look() : Sight::kOther;
    if (sight != Sight::kThis) return sight;
    EXPECT_EQ(awaited.index(), index_of(n));
    EXPECT_EQ(awaited.length(), 1 + n % kLanePayload);
    awaited.copy(got.data(), awaited.length());
    awaited.pass();
    ++awaited_ones;
    return sight;
  };
  const auto take_any = [&](std::uint64_t n) {
    LaneRecord record;
    const Look look = reader.look(record);
    if (look != Look::kMessage) return look;
    EXPECT_EQ(record.index, index_of(n));
    reader.copy_data(got.data(), record);
    reader.pop(record);
    reader.await_next();
    return look;
  };
  for (std::uint64_t n = 0; n < kMessages;) {
    const Sight sight = take(n);
    const Look look = sight == Sight::kOther ? take_any(n) : Look::kMessage;
    ASSERT_NE(look, Look::kBroken);
    if (sight == Sight::kNothing || look == Look::kNothing) {
      ASSERT_FALSE(deadline.passed()) << "after message " << n;
      std::this_thread::yield();
      continue;
    }
    expected.fill(static_cast<std::byte>(n & 0xff));
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), 1 + n % kLanePayload), 0) << n;
    received.store(++n, std::memory_order_release);
  }
  EXPECT_GT(awaited_ones, kMessages / 2);
}

TEST_F(LaneThreadsTest, AHandedOverBufferIsNotTouchedUntilItComesBack) {
  constexpr std::uint64_t kMessages = 20'000;
  std::array<std::array<std::byte, 64>, kHandles> buffers{};
  std::jthread sending([&] {
    LaneWriter<> writer(shared, slots.data(), side.data(), shape);
    std::array<bool, kHandles> lent{};
    ReturnsReader<> back(returns.data(), kHandles, lent);
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      std::uint32_t handle = 0;
      while (handle < kHandles && back.lent(handle)) ++handle;
      if (handle == kHandles || writer.room() == 0) {
        ASSERT_NE(back.take(handle), Look::kBroken);
        std::this_thread::yield();
        continue;
      }
      std::memset(buffers[handle].data(), static_cast<int>(n & 0xff), 64);
      back.lend(handle);
      writer.put_hand_over(0, 0, handle, {0, 64}, {});
      writer.publish();
      ++n;
    }
  });
  LaneReader<> reader(shared, slots.data(), side.data(), shape);
  ReturnsWriter<> giving(returns.data(), kHandles);
  for (std::uint64_t n = 0; n < kMessages;) {
    LaneRecord record;
    if (reader.look(record) != Look::kMessage) {
      ASSERT_FALSE(reader.broken());
      static_cast<void>(reader.flush());
      ASSERT_FALSE(deadline.passed()) << "after message " << n;
      std::this_thread::yield();
      continue;
    }
    ASSERT_TRUE(giving.accept());
    ASSERT_EQ(buffers[record.handle()][0], static_cast<std::byte>(n & 0xff));
    ASSERT_EQ(buffers[record.handle()][63], static_cast<std::byte>(n & 0xff));
    reader.pop(record);
    giving.give_back(record.handle());
    ++n;
  }
}

}  // namespace
}  // namespace comch::shm
