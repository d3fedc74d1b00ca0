// A fast path that runs costs no allocation and no system call per message.

#include "support/counting_allocator.h"
#include "unit/comch/fast_pair.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::test {
namespace {

constexpr std::uint64_t kWarm = 2000;
constexpr std::uint64_t kCounted = 20'000;
// The engine looks at its descriptors now and then, by the clock, however many messages there are.
constexpr std::uint64_t kMessagesPerCall = 10;

struct FastAllocationTest : ConnectedPair, testing::WithParamInterface<std::size_t> {
  static constexpr std::uint32_t kDepth = 64;
  static constexpr std::size_t kRoom = 8192;

  FastAllocationTest() {
    to->configure_receive(
          kDepth,
          [this](ReceiveTask& task) {
            ++received;
            lengths += task.length();
            task.buffer()->reset_data_length();
            if (task.submit()) return;
            ADD_FAILURE() << "it cannot be posted again";
          },
          [](ReceiveTask& task) {
            std::ignore = task.buffer()->drop_reference();
            std::ignore = task.free();
          })
        .value();
    const auto done = [this](ProducerTask& task) {
      ++sent;
      std::ignore = task.free();
    };
    from->configure_send(kDepth, done, done).value();
    for (Context* context : {static_cast<Context*>(to.get()), static_cast<Context*>(from.get())}) {
      engine->connect(*context).value();
      EXPECT_TRUE(context->start());
    }
    EXPECT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
    EXPECT_TRUE(run_until([&] { return to->state() == ContextState::kRunning; }));
  }
  ~FastAllocationTest() override {
    EXPECT_TRUE(from->stop());
    EXPECT_TRUE(to->stop());
    run_until_idle(*from);
    std::array<Buffer*, kDepth> back{};
    run_until([&] {
      const std::size_t count = to->take_back(back);
      for (std::size_t n = 0; n < count; ++n) std::ignore = back[n]->drop_reference();
      return to->state() == ContextState::kIdle;
    });
    std::ignore = buffer->drop_reference();
  }

  // Runs `exchange`, which says how many messages it moved, for so many messages.
  template <class Exchange>
  void run(std::uint64_t messages, Exchange&& exchange) {
    const Deadline deadline;
    for (std::uint64_t moved = 0; moved < messages && !deadline.passed(); moved += exchange()) {
    }
    ASSERT_FALSE(deadline.passed());
  }
  // The same, twice: to warm up, and counted.
  template <class Exchange>
  void expect_no_cost(Exchange&& exchange) {
    run(kWarm, exchange);
    const AllocationCount before = allocations();
    std::uint64_t calls = 0;
    {
      const RiggedSyscalls rig({});
      run(kCounted, exchange);
      calls = rig.calls();
    }
    EXPECT_EQ(allocations(), before);
    EXPECT_LE(calls, kCounted / kMessagesPerCall);
  }

  Memory rooms{kDepth * kRoom};
  Memory data{kRoom};
  std::unique_ptr<Consumer> to = Consumer::create(server.connection(), rooms.map()).value();
  std::unique_ptr<Producer> from = Producer::create(client.connection()).value();
  Buffer* buffer = data.data(0, pattern(GetParam()));
  std::uint64_t received = 0, sent = 0, lengths = 0;
};

TEST_P(FastAllocationTest, TasksCostNeither) {
  FastPair::post_rooms(*to, rooms, kDepth, kRoom);
  expect_no_cost([&] {
    const std::uint64_t before = received;
    for (;;) {
      const Result<ProducerTask*> task = from->allocate_send(buffer, {}, to->id());
      if (!task) break;
      if ((*task)->submit()) continue;
      std::ignore = (*task)->free();
      break;
    }
    engine->progress();
    return received - before;
  });
  EXPECT_GE(received, kWarm + kCounted);
  EXPECT_EQ(lengths, received * GetParam());
}

TEST_P(FastAllocationTest, ArraysCostNeither) {
  std::array<Buffer*, kDepth> free{};
  for (std::size_t n = 0; n < kDepth; ++n) free[n] = rooms.room(n * kRoom, kRoom);
  ASSERT_EQ(to->post(free).value(), std::size_t{kDepth});
  std::array<Outgoing, 16> messages;
  messages.fill({.data = buffer->contents(), .immediate = {}});
  std::array<Received, 32> out;
  expect_no_cost([&] {
    std::ignore = from->send(to->id(), messages);
    const std::size_t count = to->poll(out);
    for (std::size_t n = 0; n < count; ++n) {
      lengths += out[n].length;
      out[n].buffer->reset_data_length();
      free[n] = out[n].buffer;
    }
    received += count;
    EXPECT_EQ(to->post(std::span(free).first(count)).value(), count);
    engine->progress();
    return static_cast<std::uint64_t>(count);
  });
  EXPECT_EQ(lengths, received * GetParam());
  // What is on its way is taken, so that the consumer can end.
  ASSERT_TRUE(run_until([&] {
    const std::size_t count = to->poll(out);
    for (std::size_t n = 0; n < count; ++n) std::ignore = out[n].buffer->drop_reference();
    return count == 0;
  }));
}

INSTANTIATE_TEST_SUITE_P(Bytes, FastAllocationTest,
                         testing::Values(std::size_t{8}, std::size_t{112}, std::size_t{4096}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace comch::test
