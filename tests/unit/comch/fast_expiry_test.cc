// What a producer keeps of consumers that are gone: nothing, but for what the application still
// has of them; and what becomes of what they were sent.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

struct FastExpiryTest : FastPair {
  static constexpr int kMany = 600;  // More than one peer may have at a time.

  // A consumer that starts, is sent to once, and ends. `progress`: of the producer's engine.
  void come_and_go(Producer& from, const std::function<void()>& progress) {
    auto to = Consumer::create(server.connection(), there.map()).value();
    int got = 0;
    const auto free = [&](ReceiveTask& task) {
      if (task.status()) ++got;
      if (Buffer* buffer = task.buffer()) std::ignore = buffer->drop_reference();
      std::ignore = task.free();
    };
    to->configure_receive(1, free, free).value();
    engine->connect(*to).value();
    EXPECT_TRUE(to->start());
    ASSERT_TRUE(run_until([&] { return to->state() != ContextState::kStarting; }));
    ASSERT_EQ(to->state(), ContextState::kRunning) << to->failure().text;
    ASSERT_TRUE(run_until([&] { return std::ranges::count(client.consumers, to->id()) != 0; }));
    post(*to, there.room(0, 64));
    const Outgoing message{.data = bytes("one"), .immediate = {}};
    ASSERT_TRUE(run_until([&] {
      progress();
      return from.send(to->id(), std::span(&message, 1)).has_value();
    }));
    EXPECT_TRUE(run_until([&] {
      progress();
      return got == 1;
    }));
    EXPECT_TRUE(to->stop());
    EXPECT_TRUE(run_until_idle(*to));
    EXPECT_TRUE(run_until([&] { return client.consumers.empty(); }));
  }
  // As many of them, one after another; what they cost is given back.
  void many_come_and_go(Producer& from, const std::function<void()>& progress) {
    for (int n = 0; n < 10; ++n) {
      ASSERT_NO_FATAL_FAILURE(come_and_go(from, progress)) << n;
    }
    const std::size_t before = open_descriptors();
    for (int n = 10; n < kMany; ++n) {
      ASSERT_NO_FATAL_FAILURE(come_and_go(from, progress)) << n;
    }
    EXPECT_TRUE(run_until([&] { return open_descriptors() <= before; }))
        << open_descriptors() << " instead of " << before;
    EXPECT_EQ(from.counters().sent_messages, kMany) << "what they were sent stays counted";
  }
};

TEST_F(FastExpiryTest, ConsumersThatComeAndGoCostTheirProducerNothing) {
  many_come_and_go(producer(), [] {});
}

// A lane more finds the lanes that nobody needs.
TEST_F(FastExpiryTest, NorAProducerThatSendsAndIsNeverProgressed) {
  auto own = ProgressEngine::create().value();
  auto from = Producer::create(client.connection()).value();
  const auto ignore = [](ProducerTask&) {};
  from->configure_send(1, ignore, ignore).value();
  own->connect(*from).value();
  ASSERT_TRUE(from->start());
  many_come_and_go(*from, [] {});
  ASSERT_TRUE(from->abort());
  EXPECT_EQ(from->state(), ContextState::kIdle);
}

TEST_F(FastExpiryTest, ALoanStaysWritableUntilItIsAbandoned) {
  for (const bool waits_for_space : {false, true}) {
    Consumer& to = consumer(there);
    Producer& from = producer();
    post_rooms(to, there, 1, 64);
    const Loan loan = from.reserve(to.id()).value();
    if (waits_for_space) {
      ASSERT_TRUE(from.request_space(to.id()));
    }
    ASSERT_TRUE(to.stop());
    ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
    ASSERT_TRUE(run_until_idle(to));
    settle(*engine);
    std::ranges::fill(loan.room, std::byte{7});
    EXPECT_EQ(code(from.commit(loan, 1)), Errc::invalid_value);
    std::ranges::fill(loan.room, std::byte{8});
    EXPECT_TRUE(from.abandon(loan)) << "it is over";
    EXPECT_EQ(code(from.abandon(loan)), Errc::invalid_value);
    EXPECT_EQ(code(from.commit(loan, 1)), Errc::invalid_value);
  }
}

// A message that both sides copy, of a producer with an engine of its own, which has copied all
// there was to copy, and is not progressed while the consumer takes the rest.
struct FastTakenTest : FastExpiryTest {
  void SetUp() override {
    FastExpiryTest::SetUp();
    const auto note = [this](ProducerTask& task) { done(task); };
    from->configure_send(2, note, note).value();
    own->connect(*from).value();
    ASSERT_TRUE(from->start());
    Consumer& to = consumer(there);
    post(to, there.room(0, text.size()));
    ASSERT_TRUE(run_until([&] {
      own->progress();
      return from->has_space(to.id());
    }));
    ASSERT_TRUE(submit(*from, to.id(), here.data(0, text)));
    ASSERT_EQ(from->counters().cooperative_messages, 1U);
    ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  }
  void expect_sent() {
    ASSERT_TRUE(sent.empty());
    ASSERT_TRUE(until(*own, [&] { return sent.size() == 1; }));
    EXPECT_TRUE(sent[0]);
  }
  bool ends() {
    return until(*own, [&] { return from->state() == ContextState::kIdle; });
  }

  const std::string text = pattern(100'000);
  std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  std::unique_ptr<Producer> from = Producer::create(client.connection()).value();
};

TEST_F(FastTakenTest, HasArrivedThoughTheConsumerEnded) {
  ASSERT_TRUE(consumers[0]->stop());
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
  expect_sent();
  EXPECT_TRUE(from->stop());
  EXPECT_TRUE(ends());
}

TEST_F(FastTakenTest, HasArrivedThoughTheConnectionEnded) {
  ASSERT_TRUE(server->abort());
  settle(*engine);
  expect_sent();
  EXPECT_TRUE(ends());
}

TEST_F(FastTakenTest, HasArrivedThoughTheProducerIsAborted) {
  ASSERT_TRUE(from->abort());
  expect_sent();
  EXPECT_TRUE(ends());
}

}  // namespace
}  // namespace comch::test
