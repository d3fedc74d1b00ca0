// Accepting: who comes and goes, told by completions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/uring/listening_ring.h"

namespace comch::uring::test {
namespace {

struct AcceptingTest : ListeningRing {};

TEST_F(AcceptingTest, AConnectionComesWithWhatItsMessagesTake) {
  accept();
  ClientParty& client = join();
  const Completion& arrival = look();
  EXPECT_EQ(arrival.user_data, kAccept);
  EXPECT_EQ(arrival.res, 0);
  EXPECT_EQ(arrival.flags, kMore | kArrival);
  EXPECT_EQ(arrival.consumer(), ConsumerId{});
  EXPECT_EQ(arrival.connection()->state(), ConnectionState::kEstablished);
  Control* const control = arrival.control();
  ring->advance(1);

  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ASSERT_TRUE(client.connection().try_send(bytes("hello")));
  EXPECT_EQ(take(kReceive), 5);
  next(kSend).prep_ctrl_send(*control, bytes("world"));
  EXPECT_EQ(take(kSend), 5);
  EXPECT_TRUE(until(*engine, [&] { return client.received == std::vector<std::string>{"world"}; }));
}

TEST_F(AcceptingTest, AnOrderlyEndEndsWhatWaitsAndIsToldOf) {
  accept();
  ClientParty& client = join();
  Control* const control = look().control();
  ring->advance(1);
  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  leave(client);
  EXPECT_EQ(take(kReceive), -ENOTCONN);
  const Completion& end = look();
  EXPECT_EQ(end.user_data, kAccept);
  EXPECT_EQ(end.res, -ENOTCONN);
  EXPECT_EQ(end.control(), control);
  EXPECT_EQ(end.connection(), nullptr);
  // Until this is advanced over, what is begun meanwhile ends, too.
  next(kSend).prep_ctrl_send(*control, bytes("too late"));
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ring->advance(1);
  EXPECT_EQ(take(kSend), -ENOTCONN);
  EXPECT_EQ(take(kReceive), -ENOTCONN);
}

TEST_F(AcceptingTest, WhatIsHeldBackUntilTheEndIsAdvancedOverEndsUnbegun) {
  accept();
  ClientParty& client = join();
  Control* const control = look().control();
  ring->advance(1);
  leave(client);
  EXPECT_EQ(look().control(), control);
  next(kCancel, kHardLink).prep_timeout(1ms);
  next(kSend).prep_ctrl_send(*control, bytes("too late"));
  ring->submit().value();
  EXPECT_EQ(take(kAccept), -ENOTCONN);
  EXPECT_EQ(take(kCancel), -ETIME);
  EXPECT_EQ(take(kSend), -ECANCELED);
}

TEST_F(AcceptingTest, ALossIsTold) {
  accept();
  ClientParty& client = join();
  ASSERT_EQ(take(kAccept), 0);
  ASSERT_TRUE(client->abort());
  EXPECT_EQ(take(kAccept), -ECONNRESET);
}

TEST_F(AcceptingTest, ArrivalsAreShownOneAtATimeAndNoneIsLost) {
  accept();
  for (int n = 0; n < 5; ++n) join();
  std::vector<const Connection*> seen;
  for (int n = 0; n < 5; ++n) {
    seen.push_back(look().connection());
    EXPECT_EQ(ring->ready(), 1U);
    ring->advance(1);
  }
  EXPECT_EQ(ring->ready(), 0U);
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::unique(seen).size(), 0U);
}

TEST_F(AcceptingTest, WhoComesBeforeAnybodyAcceptsIsShownLater) {
  join();
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
  accept();
  EXPECT_EQ(take(kAccept), 0);
}

TEST_F(AcceptingTest, WhoIsGoneBeforeItWasShownWasNeverThere) {
  leave(join());
  join();
  accept();
  EXPECT_EQ(take(kAccept), 0);
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
}

TEST_F(AcceptingTest, WhoGoesWhileItIsShownIsTakenOutOfTheCompletionAndEnds) {
  accept();
  ClientParty& client = join();
  const Completion& arrival = look();
  Control* const control = arrival.control();
  leave(client);
  EXPECT_EQ(arrival.res, -ECONNABORTED);
  EXPECT_EQ(arrival.connection(), nullptr);
  next(kSend).prep_ctrl_send(*control, bytes("late"));
  ring->submit().value();
  ring->advance(1);
  EXPECT_EQ(take(kSend), -ENOTCONN);
  EXPECT_EQ(look().control(), control);
  EXPECT_EQ(take(kAccept), -ENOTCONN);
}

TEST_F(AcceptingTest, ItEndsWhenItIsCancelledAndWhoIsThereStays) {
  accept();
  ClientParty& client = join();
  Control* const control = look().control();
  next(kCancel).prep_cancel(kAccept);
  ring->submit().value();
  EXPECT_EQ(ring->unregister(*listener).error().code, Errc::in_use);
  EXPECT_EQ(take(kAccept), 0);
  EXPECT_EQ(take(kAccept), -ECANCELED);
  EXPECT_EQ(take(kCancel), 0);
  EXPECT_EQ(ring->space(), 8U);
  std::array<std::byte, 64> room{};
  next(kReceive).prep_ctrl_recv(*control, room);
  ring->submit().value();
  ASSERT_TRUE(client.connection().try_send(bytes("still here")));
  EXPECT_EQ(take(kReceive), 10);
  EXPECT_EQ(ring->unregister(*control).error().code, Errc::not_permitted);
  accept();
  leave(client);
  EXPECT_EQ(take(kAccept), -ENOTCONN);
}

TEST_F(AcceptingTest, OneAtATimeWithoutLinksAndWithAPlaceForItsCompletions) {
  accept(kLink);
  EXPECT_EQ(ring->ready(), 0U) << "a chain of one is none";
  accept();
  EXPECT_EQ(take(kAccept), -EBUSY);
  next(kCancel).prep_cancel(kAccept);
  EXPECT_EQ(take(kAccept), -ECANCELED);
  EXPECT_EQ(take(kCancel), 0);
  next(kAccept, kLink).prep_accept_multishot(*listener);
  next(kSend).prep_nop();
  EXPECT_EQ(take(kAccept), -EINVAL);
  EXPECT_EQ(take(kSend), -ECANCELED);
  // 16 places: 15 of operations that wait, and its own.
  for (int n = 0; n < 15; ++n) {
    next(kSend).prep_timeout(1h);
    ring->submit().value();
  }
  accept();
  EXPECT_EQ(take(kAccept), -ENOBUFS);
}

TEST_F(AcceptingTest, ListenersAreRegisteredOnceAndUnregisteredWhenNothingIsLeft) {
  EXPECT_EQ(ring->register_listener(*server).error().code, Errc::already_exist);
  join();
  EXPECT_EQ(ring->unregister(*listener).error().code, Errc::in_use);
  leave(*clients.front());
  EXPECT_TRUE(ring->unregister(*listener));
  listener = ring->register_listener(*server).value();
}

TEST_F(AcceptingTest, AConsumerComesAndCanBeSentTo) {
  accept();
  ClientParty& client = join();
  Connection& connection = *look().connection();
  ring->advance(1);
  auto producer = Producer::create(connection).value();
  ring->prepare(*producer).value();
  engine->connect(*producer).value();
  ASSERT_TRUE(producer->start());

  // The other side, which has a ring, too.
  Memory memory(4096);
  auto consumer = Consumer::create(client.connection(), memory.map()).value();
  const auto theirs = Ring::create(*engine).value();
  theirs->prepare(*consumer, 4).value();
  engine->connect(*consumer).value();
  ASSERT_TRUE(consumer->start());
  ASSERT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kRunning; }));
  Source* const source = theirs->register_source(*consumer).value();
  Submission* const posted = theirs->get();
  posted->prep_post_recv(*source, memory.room(0, 64));
  theirs->submit().value();

  const Completion& arrival = look();
  EXPECT_EQ(arrival.flags, kMore | kArrival);
  EXPECT_EQ(arrival.consumer(), consumer->id());
  EXPECT_EQ(arrival.connection(), &connection);
  Destination* const to = ring->register_destination(*producer, arrival.consumer()).value();
  ring->advance(1);
  next(kSend).prep_send(*to, bytes("at once"));
  EXPECT_EQ(take(kSend), 7);
  ASSERT_EQ(theirs->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(text_of(theirs->peek()->contents()), "at once");
  std::ignore = theirs->peek()->buffer->drop_reference();
  theirs->advance(1);

  EXPECT_TRUE(ring->unregister(*to));
  for (Context* context :
       {static_cast<Context*>(consumer.get()), static_cast<Context*>(producer.get())}) {
    std::ignore = context->abort();
    EXPECT_TRUE(until(*engine, [&] { return context->state() == ContextState::kIdle; }));
  }
}

TEST_F(AcceptingTest, AClientIsToldOfTheServersConsumers) {
  accept();
  auto client = Client::create(host(), "echo").value();
  client->set_max_message_size(64).value();
  client->set_recv_queue_size(4).value();
  ring->prepare(*client).value();
  engine->connect(*client).value();
  Listener* const at_client = ring->register_listener(*client).value();
  ASSERT_TRUE(client->start());
  Connection& connection = *look().connection();
  ring->advance(1);
  next(kPool).prep_accept_multishot(*at_client);
  Memory memory(4096);
  auto consumer = Consumer::create(connection, memory.map()).value();
  ring->prepare(*consumer, 4).value();
  engine->connect(*consumer).value();
  ASSERT_TRUE(consumer->start());
  const Completion& arrival = look();
  EXPECT_EQ(arrival.user_data, kPool);
  EXPECT_EQ(arrival.consumer(), consumer->id());
  EXPECT_EQ(arrival.connection(), client->connection().value());
  ring->advance(1);
  std::ignore = consumer->abort();
  EXPECT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kIdle; }));
  std::ignore = client->abort();
  EXPECT_TRUE(until(*engine, [&] { return client->state() == ContextState::kIdle; }));
}

}  // namespace
}  // namespace comch::uring::test
