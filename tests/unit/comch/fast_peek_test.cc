// A paused connection that is looked into from the callbacks that tell of consumers.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct FastPeekTest : Pair {
  FastPeekTest() {
    client
        ->on_consumer([this](Connection& connection, ConsumerId) { peek(connection, appeared); },
                      [this](Connection& connection, ConsumerId) { peek(connection, expired); })
        .value();
    connect();
    client.connection().pause();
    const auto ignore = [](ReceiveTask&) {};
    consumer = Consumer::create(server.connection(), there.map()).value();
    consumer->configure_receive(4, ignore, ignore).value();
    engine->connect(*consumer).value();
  }
  static void peek(Connection& connection, int& times) {
    ++times;
    EXPECT_FALSE(connection.peek());
    EXPECT_FALSE(connection.take());
  }
  // Runs, ends, and has made no liar of anybody.
  void expect_one_life() {
    appeared = expired = 0;
    ASSERT_TRUE(consumer->start());
    EXPECT_TRUE(
        run_until([&] { return consumer->state() == ContextState::kRunning && appeared != 0; }));
    ASSERT_TRUE(consumer->stop());
    EXPECT_TRUE(run_until_idle(*consumer));
    EXPECT_TRUE(run_until([&] { return expired != 0; }));
    for (int n = 0; n < 20; ++n) engine->progress();
    EXPECT_EQ(appeared, 1);
    EXPECT_EQ(expired, 1);
    EXPECT_EQ(client->state(), ContextState::kRunning);
    EXPECT_EQ(server->state(), ContextState::kRunning);
  }

  Memory there{std::size_t{1} << 16U};
  std::unique_ptr<Consumer> consumer;
  int appeared = 0;
  int expired = 0;
};

TEST_F(FastPeekTest, AConsumerThatComesAndOneThatGoesAreToldOfOnce) {
  for (int n = 0; n < 3; ++n) expect_one_life();
  client.connection().resume();
  ASSERT_TRUE(server.connection().try_send(bytes("still there")));
  EXPECT_TRUE(run_until([&] { return !client.received.empty(); }));
}

}  // namespace
}  // namespace comch::test
