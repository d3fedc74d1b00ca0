// Threads at one desk and their lanes to one consumer: that every posted buffer is used once
// at a time and every message arrives in order, and that TSan, in its build, sees no race.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "shm/desk.h"
#include "shm/lane_reader.h"
#include "shm/lane_writer.h"
#include "shm/posted_table.h"
#include "support/deadline.h"

namespace comch::shm {
namespace {

constexpr std::uint32_t kDepth = 16;
constexpr std::uint32_t kProducers = 3;
constexpr std::uint64_t kMessages = 40'000;  // Of each producer.

bool membarrier_works() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// One consumer and its producers, in one process.
struct DeskThreadsTest : testing::Test {
  struct Lane {
    LaneShared<> shared{};
    alignas(kCacheLine) std::array<std::byte, std::size_t{kDepth} * kLaneSlot> slots{};
  };

  Attach attach(SeatId& seat) {
    return desk.try_attach(seat, [] {
      EXPECT_EQ(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), 0);
    });
  }

  // Sends its messages, each with its number. Every seventh buffer it puts back, and once it
  // leaves its seat and comes back.
  void produce(std::uint32_t name) {
    LaneWriter<> lane(lanes[name]->shared, lanes[name]->slots.data(), nullptr, shape);
    SeatId seat = 0;
    while (attach(seat) == Attach::kAgain && !deadline.passed()) std::this_thread::yield();
    std::array<Posted, 3> taken;
    std::uint64_t takes = 0;
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      std::size_t count = desk.take(seat, std::span(taken).first(1 + takes % 3));
      if (count == 0) {
        std::this_thread::yield();
        continue;
      }
      if (++takes % 7 == 0) {
        ASSERT_TRUE(desk.put_back(seat, taken[--count]));
      }
      for (std::size_t k = 0; k < count; ++k, ++n) {
        lane.put_inline(taken[k].index, std::as_bytes(std::span(&n, 1)), {});
      }
      lane.publish();
      if (takes == kMessages / 4 && desk.shared()) {
        desk.detach(seat);
        ASSERT_EQ(attach(seat), Attach::kAttached);
      }
    }
    desk.detach(seat);
  }

  const LaneShape shape{.slots = kDepth, .immediate_max = 0};
  const test::Deadline deadline{test::patience() * 3};
  alignas(kCacheLine) std::array<std::byte, std::size_t{posted_slots(kDepth)} * kPostedSize> ring{};
  std::array<Stash<>, kProducers> stashes{};
  alignas(kCacheLine) std::array<std::byte, 8> run{};
  Desk<> desk{PostedReader<>(run.data(), ring.data(), posted_slots(kDepth), 1U << 20U), kDepth,
              stashes, !membarrier_works()};
  std::array<std::unique_ptr<Lane>, kProducers> lanes;
};

TEST_F(DeskThreadsTest, EveryMessageOfEveryProducerArrivesOnceInOrder) {
  for (auto& lane : lanes) lane = std::make_unique<Lane>();
  std::array<PostedTable::Entry, kDepth> entries{};
  PostedTable table(entries);
  PostedWriter<> writer(run.data(), ring.data(), posted_slots(kDepth));
  const auto post = [&](std::uint16_t index) {
    const std::uint64_t offset = std::uint64_t{index} * 64;
    table.post(index, index, offset, 64);
    writer.post(index, offset, 64);
  };
  for (std::uint16_t n = 0; n < kDepth; ++n) post(n);
  writer.publish();
  std::vector<std::jthread> producers;
  std::vector<LaneReader<>> readers;
  for (std::uint32_t n = 0; n < kProducers; ++n) {
    producers.emplace_back([this, n] { produce(n); });
    readers.emplace_back(lanes[n]->shared, lanes[n]->slots.data(), nullptr, shape);
  }
  std::array<std::uint64_t, kProducers> received{};
  for (std::uint64_t left = kProducers; left != 0;) {
    bool idle = true;
    for (std::uint32_t n = 0; n < kProducers; ++n) {
      LaneRecord record;
      const Look look = readers[n].look(record);
      ASSERT_NE(look, Look::kBroken);
      if (look == Look::kNothing) continue;
      idle = false;
      ASSERT_NE(table.find(record.index, record.length), nullptr);
      std::uint64_t number = 0;
      ASSERT_EQ(record.length, sizeof number);
      readers[n].copy_data(reinterpret_cast<std::byte*>(&number), record);
      ASSERT_EQ(number, received[n]) << "producer " << n;
      readers[n].pop(record);
      table.complete(record.index);
      post(record.index);
      if (++received[n] == kMessages) --left;
    }
    writer.publish();
    if (idle) {
      ASSERT_FALSE(deadline.passed()) << received[0] << " " << received[1] << " " << received[2];
      std::this_thread::yield();
    }
  }
}

}  // namespace
}  // namespace comch::shm
