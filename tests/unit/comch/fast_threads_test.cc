// Two producers and two consumers, each on a thread of its own with an engine of its own, and
// the connection on a fifth: every message arrives once, in its producer's order.
#include <atomic>
#include <thread>

#include "support/sanitizers.h"
#include "unit/comch/fast_pair.h"
#include "unit/comch/numbered_messages.h"

namespace comch::test {
namespace {

// Over RDMA nothing is mapped twice, and nothing is staged.
#ifdef OVER_RDMA
constexpr bool kSeesOneMappingOnly = false;
// TSan knows an atomic by its address, and here consumer and producers map the same memory at
// different ones. So it cannot see that a producer writes into a buffer after the consumer has
// posted it again, behind another producer's message; and through staged memory only one writes.
#else
constexpr bool kSeesOneMappingOnly = COMCH_THREAD_SANITIZER;
#endif

constexpr std::uint32_t kMessages = 2000;  // Of each producer to each consumer.
constexpr std::uint32_t kEnds = 2;         // Of each kind.
constexpr std::size_t kRoom = 20'000;
constexpr std::uint32_t kDepth = 8;

// Short ones, some that are copied into the buffer, a few that both sides copy.
std::string message(std::uint32_t producer, std::uint32_t n) {
  const std::size_t size = n % 50 == 49 ? kRoom : n % 5 == 4 ? 3000 : 16;
  return numbered(producer, n, size);
}

struct FastThreadsTest : ConnectedPair {
  // Runs an engine of its own until `done`; then ends the context on the same thread.
  static void live(ProgressEngine& own, Context& context, const std::function<bool()>& done) {
    const Deadline deadline;
    while (!done() && !deadline.passed()) {
      // With more threads than processors, another one has what this one waits for.
      if (!own.progress()) std::this_thread::yield();
    }
    EXPECT_FALSE(deadline.passed());
    EXPECT_TRUE(context.stop());
    EXPECT_TRUE(until(own, [&] { return context.state() == ContextState::kIdle; }));
  }

  void consume(Consumer& to, Memory& memory) {
    const auto own = ProgressEngine::create().value();
    InTheirOrder arrivals(kEnds, message);
    arrivals.configure(to, kDepth);
    to.set_way(kSeesOneMappingOnly ? DataWay::kStaged : DataWay::kMapped).value();
    own->connect(to).value();
    ASSERT_TRUE(to.start());
    ASSERT_TRUE(until(*own, [&] { return to.state() == ContextState::kRunning; }));
    FastPair::post_rooms(to, memory, kDepth, kRoom);
    live(*own, to, [&] { return arrivals.count() == kEnds * kMessages; });
  }

  static void produce(Producer& from, Memory& memory, std::uint32_t self,
                      const std::vector<ConsumerId>& to) {
    const auto own = ProgressEngine::create().value();
    std::uint32_t completed = 0;
    const auto done = [&](ProducerTask& task) {
      EXPECT_TRUE(task.status());
      std::ignore = const_cast<Buffer*>(task.buffer())->drop_reference();
      std::ignore = task.free();
      ++completed;
    };
    from.configure_send(4, done, done).value();
    from.set_cooperative_size(16'384).value();
    own->connect(from).value();
    ASSERT_TRUE(from.start());
    std::vector<std::uint32_t> next(to.size());
    std::size_t turn = 0;
    live(*own, from, [&] {
      // One message under way at a time: its bytes lie in the same place.
      const std::uint32_t accepted = next[0] + next[1];
      if (completed != accepted) return false;
      if (accepted == kEnds * kMessages) return true;
      turn = (turn + 1) % to.size();
      if (next[turn] == kMessages) return false;
      const Status sent =
          FastPair::submit(from, to[turn], memory.data(self * kRoom, message(self, next[turn])));
      EXPECT_TRUE(sent || sent.error().code == Errc::again);
      if (sent) ++next[turn];
      return false;
    });
  }

  Memory rooms_a{kDepth * kRoom}, rooms_b{kDepth * kRoom}, data_a{kEnds * kRoom},
      data_b{kEnds * kRoom};
};

TEST_F(FastThreadsTest, EveryMessageArrivesOnceInItsProducersOrder) {
  std::array<std::unique_ptr<Consumer>, kEnds> consumers;
  std::array<std::unique_ptr<Producer>, kEnds> producers;
  std::array rooms{&rooms_a, &rooms_b}, data{&data_a, &data_b};
  for (std::size_t n = 0; n < kEnds; ++n) {
    consumers[n] = Consumer::create(server.connection(), rooms[n]->map()).value();
    producers[n] = Producer::create(client.connection()).value();
  }
  std::atomic<unsigned> ended = 0;
  std::vector<std::jthread> threads;
  threads.reserve(2 * kEnds);
  for (std::size_t n = 0; n < kEnds; ++n) {
    threads.emplace_back([&, n] {
      consume(*consumers[n], *rooms[n]);
      ++ended;
    });
  }
  EXPECT_TRUE(run_until([&] { return client.consumers.size() == kEnds; }));
  const std::vector<ConsumerId> ids = client.consumers;
  if (ids.size() == kEnds) {
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      threads.emplace_back([&, n] {
        produce(*producers[n], *data[n], n, ids);
        ++ended;
      });
    }
  }
  EXPECT_TRUE(run_until([&] { return ended == threads.size(); }));
  threads.clear();
  for (auto& end : producers) EXPECT_TRUE(Producer::destroy(end));
  for (auto& end : consumers) EXPECT_TRUE(Consumer::destroy(end));
  EXPECT_TRUE(run_until([&] { return client.consumers.empty(); }));
}

// Two threads that meet by chance, so several times.
struct MadeMeanwhileTest : FastThreadsTest, testing::WithParamInterface<int> {};

TEST_P(MadeMeanwhileTest, AProducerFindsTheConsumerThatCameWhileItWasMade) {
  auto consumer = Consumer::create(server.connection(), rooms_a.map()).value();
  const auto nothing = [](ReceiveTask&) {};
  consumer->configure_receive(1, nothing, nothing).value();
  engine->connect(*consumer).value();
  ASSERT_TRUE(consumer->start());
  std::unique_ptr<Producer> producer;
  std::atomic<bool> begun = false;
  std::jthread maker([&] {
    begun = true;
    begun.notify_one();
    producer = Producer::create(client.connection()).value();
  });
  begun.wait(false);
  EXPECT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
  maker.join();

  const auto own = ProgressEngine::create().value();
  const auto drop = [](ProducerTask& task) { std::ignore = task.free(); };
  producer->configure_send(1, drop, drop).value();
  own->connect(*producer).value();
  ASSERT_TRUE(producer->start());
  // It has posted nothing; that is another answer than that there is none.
  const Result<std::size_t> sent = producer->send(client.consumers[0], std::array{Outgoing{}});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::again) << sent.error().what;
  EXPECT_TRUE(producer->stop());
  EXPECT_TRUE(until(*own, [&] { return producer->state() == ContextState::kIdle; }));
  EXPECT_TRUE(Producer::destroy(producer));
  EXPECT_TRUE(consumer->stop());
  EXPECT_TRUE(run_until([&] { return consumer->state() == ContextState::kIdle; }));
  EXPECT_TRUE(Consumer::destroy(consumer));
}
INSTANTIATE_TEST_SUITE_P(ManyTimes, MadeMeanwhileTest, testing::Range(0, 32));

}  // namespace
}  // namespace comch::test
