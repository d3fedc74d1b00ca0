// Who waits for something sleeps until it comes, whatever it is and whoever waits beside him: a
// wake-up for nothing costs a processor, and one that brings the next costs it for ever.
#include <chrono>

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

TEST_F(SleepTest, WhoHeedsNoMessagesThatAreThereToBePolled) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  const std::array rooms{there.room(0, 64), there.room(64, 64), there.room(128, 64)};
  ASSERT_EQ(to.post(rooms).value_or(0), rooms.size());
  const auto send = [&](Consumer& whom) {
    const std::size_t before = sent.size();
    ASSERT_TRUE(submit(from, whom.id(), here.data(0, "message")));
    ASSERT_TRUE(run_until([&] { return sent.size() == before + 1; }));
  };
  send(to);
  EXPECT_FALSE(falls_asleep());
  engine->heed_none();
  EXPECT_TRUE(falls_asleep());
  EXPECT_FALSE(engine->progress());
  send(to);
  EXPECT_TRUE(falls_asleep());
  engine->heed(to);
  EXPECT_FALSE(falls_asleep());
  std::array<Received, 3> polled;
  ASSERT_EQ(to.poll(polled), 2U);
  EXPECT_TRUE(falls_asleep());
  send(to);
  EXPECT_TRUE(engine->wait(std::chrono::seconds(10)));
  engine->heed_none();
  EXPECT_TRUE(falls_asleep());
  engine->heed_all();
  EXPECT_FALSE(falls_asleep());
  ASSERT_EQ(to.poll(polled), 1U);
  for (Buffer* buffer : rooms) std::ignore = buffer->drop_reference();
}

TEST_F(SleepTest, WhoHeedsNoMessagesIsCalledBackWithThoseOfTasks) {
  Consumer& to = consumer(there);
  Consumer& beside = consumer(there);
  Producer& from = producer();
  Buffer* const room = there.room(0, 64);
  ASSERT_EQ(to.post(std::array{room}).value_or(0), 1U);
  post_rooms(beside, there, 1, 64);
  engine->heed_none();
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "polled")));
  ASSERT_TRUE(submit(from, beside.id(), here.data(64, "by a task")));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_EQ(texts[0], "by a task");
  EXPECT_TRUE(falls_asleep());
  ASSERT_TRUE(to.stop());
  std::array<Received, 1> polled;
  ASSERT_TRUE(run_until([&] { return to.poll(polled) == 1; }));
  EXPECT_TRUE(run_until_idle(to)) << "its end is heeded";
  std::ignore = room->drop_reference();
}

// Of two producers by turns no more than 64 messages are shown at a time.
TEST_F(SleepTest, AViewerThatIsShownNoMoreAndHearsOfWhatCameSinceWhenItReleasesViews) {
  Consumer& to = consumer(there, {.depth = 128, .way = DataWay::kView});
  const std::array senders{&producer(), &producer()};
  for (int n = 0; n < 6; ++n) consumer(there);  // Beside few others it stays awake.
  const Outgoing message{.data = bytes("message"), .immediate = {}};
  View view;
  for (std::size_t n = 0; n < 64; ++n) {
    ASSERT_TRUE(senders[n % 2]->send(to.id(), {&message, 1}));
    ASSERT_TRUE(run_until([&] { return to.poll_views({&view, 1}) == 1; }));
  }
  ASSERT_TRUE(senders[0]->send(to.id(), {&message, 1}));
  EXPECT_EQ(to.poll_views({&view, 1}), 0U);
  // Long enough for the engine to leave off looking at who has nothing to do.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  ASSERT_TRUE(run_until([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_TRUE(falls_asleep());
  ASSERT_TRUE(to.release_views(64));
  EXPECT_TRUE(engine->progress());
  EXPECT_EQ(to.poll_views({&view, 1}), 1U);
  ASSERT_TRUE(to.release_views(1));
}

}  // namespace
}  // namespace comch::test
