// Who waits for something sleeps until it comes, whatever it is and whoever waits beside him: a
// wake-up for nothing costs a processor, and one that brings the next costs it for ever.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct SleepTest : FastPair {
  // Whatever is under way ends within so many wakes.
  bool falls_asleep() { return test::falls_asleep(*engine, 64); }
};

TEST_F(SleepTest, AConnectionOverWhichNothingIsSent) { EXPECT_TRUE(falls_asleep()); }

TEST_F(SleepTest, AConnectionWhoseReceiverKeepsAMessageAndWhoseSenderWaitsForRoom) {
  server.then_receive = [](Connection&) { return Receipt::kKeep; };
  while (client.connection().try_send(bytes("kept"))) {
  }
  client.connection().request_space();
  EXPECT_TRUE(falls_asleep());
  EXPECT_EQ(client.spaces, 0);
  server.then_receive = [](Connection&) { return Receipt::kTaken; };
  server.connection().resume();
  ASSERT_TRUE(run_until([&] { return client.spaces == 1; }));
  EXPECT_TRUE(falls_asleep());
}

TEST_F(SleepTest, AClientThatStopsAndWhoseMessagesNobodyTakes) {
  EXPECT_GT(fill(), 0);
  ASSERT_TRUE(task("behind them").submit());
  ASSERT_EQ(client->stop(), ContextState::kStopping);
  EXPECT_TRUE(falls_asleep());
  EXPECT_EQ(client->state(), ContextState::kStopping);
  server.connection().resume();
  ASSERT_TRUE(run_until([&] { return client->state() == ContextState::kIdle; }));
}

TEST_F(SleepTest, AConsumerToWhichNothingIsSent) {
  post_rooms(consumer(there), there, 4, 64);
  producer();
  EXPECT_TRUE(falls_asleep());
}

TEST_F(SleepTest, AConsumerThatNobodyPostsToAndAProducerThatWaitsForRoom) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  ASSERT_TRUE(from.request_space(to.id()));
  EXPECT_TRUE(falls_asleep());
  EXPECT_EQ(spaces, 0);
  post_rooms(to, there, 1, 64);
  ASSERT_TRUE(run_until([&] { return spaces == 1; }));
  EXPECT_TRUE(falls_asleep());
}

TEST_F(SleepTest, ProducersOfWhichOneKeepsAllThatIsPosted) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  Producer& next = producer();
  post_rooms(to, there, 2, 64);
  ASSERT_TRUE(submit(next, to.id(), here.data(0, "first")));
  const Loan loan = from.reserve(to.id()).value();
  ASSERT_TRUE(from.request_space(to.id()));
  ASSERT_TRUE(next.request_space(to.id()));
  EXPECT_TRUE(falls_asleep());
  EXPECT_EQ(spaces, 0);
  ASSERT_TRUE(from.abandon(loan));
  ASSERT_TRUE(run_until([&] { return spaces == 2; }));
}

// In both directions, for what one side sends is what the other is woken by.
TEST_F(SleepTest, EverybodyOnceAllThatWasSentHasArrived) {
  Consumer& to = consumer(there, {.depth = 32});
  Producer& from = producer();
  post_rooms(to, there, 32, 64);
  for (std::size_t n = 0; n < 32; ++n) {
    ASSERT_TRUE(submit(from, to.id(), here.data(n * 64, "message")));
    if (n % 8 == 0) engine->wait(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(from.request_space(to.id()));
  ASSERT_TRUE(run_until([&] { return texts.size() == 32 && sent.size() == 32; }));
  EXPECT_TRUE(falls_asleep());
  EXPECT_EQ(spaces, 0);
}

TEST_F(SleepTest, ALongMessageThatWaitsForABuffer) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  const std::string text = pattern(20'000);
  ASSERT_EQ(code(submit(from, to.id(), here.data(0, text))), Errc::again);
  ASSERT_TRUE(from.request_space(to.id()));
  EXPECT_TRUE(falls_asleep());
  post_rooms(to, there, 1, text.size());
  ASSERT_TRUE(run_until([&] { return spaces == 1; }));
  ASSERT_TRUE(submit(from, to.id(), here.data(0, text)));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
  EXPECT_EQ(texts[0], text);
  EXPECT_TRUE(falls_asleep());
}

TEST_F(SleepTest, AProducerWhoseConsumerHasEnded) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "first")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  ASSERT_TRUE(from.request_space(to.id()));
  ASSERT_TRUE(to.stop());
  ASSERT_TRUE(run_until([&] { return to.state() == ContextState::kIdle; }));
  ASSERT_TRUE(run_until([&] { return client.consumers.empty(); }));
  EXPECT_TRUE(falls_asleep());
}

}  // namespace
}  // namespace comch::test
