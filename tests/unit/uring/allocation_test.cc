// A ring that runs costs no allocation and no system call per message, and neither its engine.
#include <gtest/gtest.h>

#include "support/counting_allocator.h"
#include "unit/os/rigged_syscalls.h"
#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

constexpr std::uint64_t kWarm = 2000;
constexpr std::uint64_t kCounted = 20'000;
// The engine looks at its descriptors now and then, however many messages there are.
constexpr std::uint64_t kMessagesPerCall = 20;

struct AllocationTest : RingPair {
  template <class Exchange>
  void expect_no_cost(Exchange&& exchange) {
    const Deadline deadline;
    const auto run = [&](std::uint64_t messages) {
      for (std::uint64_t moved = 0; moved < messages && !deadline.passed();) moved += exchange();
    };
    run(kWarm);
    const AllocationCount before = allocations();
    std::uint64_t calls = 0;
    {
      const RiggedSyscalls rig({});
      run(kCounted);
      calls = rig.calls();
    }
    EXPECT_EQ(allocations(), before);
    EXPECT_LE(calls, kCounted / kMessagesPerCall);
    EXPECT_FALSE(deadline.passed());
  }
  const std::string text = pattern(64);
};

TEST_F(AllocationTest, BatchesIntoAMultishotReceiveCostNeither) {
  std::vector<Buffer*> pool;
  pool.reserve(kDepth);
  for (std::size_t n = 0; n < kDepth; ++n) pool.push_back(room(n));
  next(7).prep_post_recv_multishot(*from, pool);
  expect_no_cost([&] {
    // More than there is room for: some wait.
    for (std::uint32_t n = 0; n < 2 * kDepth; ++n) send(text, n, kSkipSuccess);
    ring->submit().value();
    std::uint64_t received = 0;
    while (received < std::uint64_t{2} * kDepth) {
      ring->peek();
      const std::uint32_t count = ring->for_each([&](const Completion& c) {
        EXPECT_EQ(c.size, text.size());
        ++received;
      });
      ring->advance(count);
    }
    return received;
  });
  end();
  for (Buffer* buffer : pool) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(AllocationTest, SingleReceivesSendsWithCompletionsAndImmediateDataCostNeither) {
  std::vector<Buffer*> free;
  free.reserve(kDepth);
  for (std::size_t n = 0; n < kDepth; ++n) free.push_back(room(n));
  expect_no_cost([&] {
    for (Buffer* buffer : free) {
      buffer->reset_data_length();
      next(1).prep_post_recv(*from, buffer);
    }
    free.clear();
    for (std::uint32_t n = 0; n < kDepth; ++n) {
      next(2, n % 4 == 0 ? kLink : 0).prep_send_imm(*to, bytes(text), bytes("beside"));
    }
    ring->submit().value();
    std::uint64_t over = 0;
    std::array<const Completion*, 8> batch;
    while (over < std::uint64_t{2} * kDepth) {
      const std::uint32_t count = ring->peek_batch(batch);
      for (std::uint32_t n = 0; n < count; ++n) {
        if (batch[n]->user_data == 1) free.push_back(batch[n]->buffer);
      }
      ring->advance(count);
      over += count;
    }
    return over / 2;
  });
  for (Buffer* buffer : free) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(AllocationTest, TimersCancelsAndDrainsAllocateNothing) {
  expect_no_cost([&] {
    next(1).prep_timeout(1h);
    next(2).prep_cancel(1);
    next(3, kDrain).prep_nop();
    ring->submit().value();
    const std::uint32_t count = ring->ready();
    EXPECT_EQ(count, 3U);
    ring->advance(count);
    return std::uint64_t{3};
  });
}

}  // namespace
}  // namespace comch::uring::test
