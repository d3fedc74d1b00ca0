// Connection: messages, states, counters, back-pressure, and receiving at one's own pace.
#include "comch/connection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "unit/comch/pair.h"

namespace comch {
namespace {

using test::bytes;
using test::text_of;
using Texts = std::vector<std::string>;

struct ConnectionTest : test::ConnectedPair {
  Connection& near = client.connection();
  Connection& far = server.connection();
};

TEST_F(ConnectionTest, MessagesArriveInOrderOnceAndWhole) {
  Texts sent;
  for (int i = 0; i < 200; ++i) {
    sent.push_back(std::string(static_cast<std::size_t>(i % 65), static_cast<char>('a' + i % 26)));
    ASSERT_TRUE(run_until([&] { return near.can_send(); }));
    ASSERT_TRUE(near.try_send(bytes(sent.back())));
  }
  ASSERT_TRUE(run_until([&] { return server.received.size() == sent.size(); }));
  EXPECT_EQ(server.received, sent);
}

TEST_F(ConnectionTest, MessagesOfSizeZeroAndOfTheMaximumArriveAndOneMoreIsTooBig) {
  const std::string most(near.max_message_size(), 'm');
  ASSERT_TRUE(near.try_send({}));
  ASSERT_TRUE(near.try_send(bytes(most)));
  EXPECT_EQ(near.try_send(bytes(most + "m")).error().code, Errc::too_big);
  ASSERT_TRUE(run_until([&] { return server.received.size() == 2; }));
  EXPECT_EQ(server.received, (Texts{"", most}));
}

TEST_F(ConnectionTest, BothEndsKnowWhoseTheyAre) {
  EXPECT_EQ(near.client(), client.client.get());
  EXPECT_EQ(near.server(), nullptr);
  EXPECT_EQ(far.server(), server.server.get());
  EXPECT_EQ(far.client(), nullptr);
  for (Connection* end : {&near, &far}) {
    EXPECT_EQ(end->peer().uid, ::geteuid());
    EXPECT_EQ(end->peer().pid, ::getpid());
    EXPECT_EQ(end->state(), ConnectionState::kEstablished);
    EXPECT_FALSE(end->loss());
    EXPECT_EQ(end->user_data().value, 0u);
  }
  near.set_user_data({.value = 17});
  EXPECT_EQ(near.user_data().value, 17u);
  EXPECT_EQ(far.user_data().value, 0u);
}

TEST_F(ConnectionTest, CountersCountMessagesAndBytesOfBothDirections) {
  ASSERT_TRUE(near.try_send(bytes("12345")));
  ASSERT_TRUE(task("123").submit());
  ASSERT_TRUE(far.try_send(bytes("1")));
  ASSERT_TRUE(
      run_until([&] { return server.received.size() == 2 && client.received.size() == 1; }));
  EXPECT_EQ(near.counters().sent_messages, 2u);
  EXPECT_EQ(near.counters().sent_bytes, 8u);
  EXPECT_EQ(near.counters().received_messages, 1u);
  EXPECT_EQ(far.counters().received_messages, 2u);
  EXPECT_EQ(far.counters().received_bytes, 8u);
  near.reset_counters();
  EXPECT_EQ(near.counters().sent_messages, 0u);
  EXPECT_EQ(near.counters().sends_held, 0u);
}

TEST_F(ConnectionTest, TasksInFlightAreThoseSubmittedAndNotCompleted) {
  fill();
  SendTask& held = task("held");
  EXPECT_EQ(near.tasks_in_flight(), 0u);
  ASSERT_TRUE(held.submit());
  EXPECT_EQ(near.tasks_in_flight(), 1u);
  EXPECT_EQ(client->tasks_in_flight(), 1u);
  far.resume();
  ASSERT_TRUE(run_until([&] { return client.completions.size() == 1; }));
  EXPECT_EQ(near.tasks_in_flight(), 0u);
}

// --- Back-pressure -----------------------------------------------------------------------

TEST_F(ConnectionTest, AFullQueueAnswersAgainAndLosesNothing) {
  EXPECT_EQ(fill(), 4) << "recv_queue_size of the server";
  EXPECT_EQ(near.try_send(bytes("late")).error().code, Errc::again);
  EXPECT_FALSE(near.can_send());
  EXPECT_EQ(near.counters().sends_held, 2u);
  far.resume();
  ASSERT_TRUE(run_until([&] { return near.can_send(); }));
  ASSERT_TRUE(near.try_send(bytes("late")));
  ASSERT_TRUE(run_until([&] { return server.received.size() == 5; }));
  EXPECT_EQ(server.received.back(), "late");
}

TEST_F(ConnectionTest, ATaskThatFindsTheQueueFullIsHeldAndNothingOvertakesIt) {
  fill();
  ASSERT_TRUE(task("first").submit());
  ASSERT_TRUE(task("second").submit());
  far.resume();
  EXPECT_EQ(near.try_send(bytes("overtaker")).error().code, Errc::again);
  ASSERT_TRUE(run_until([&] { return server.received.size() == 6; }));
  EXPECT_EQ(server.received[4], "first");
  EXPECT_EQ(server.received[5], "second");
}

TEST_F(ConnectionTest, SpaceIsToldOnceForEachRequest) {
  near.request_space();
  ASSERT_TRUE(run_until([&] { return client.spaces == 1; }));
  fill();
  near.request_space();
  test::settle(*engine);
  EXPECT_EQ(client.spaces, 1);
  far.resume();
  ASSERT_TRUE(run_until([&] { return client.spaces == 2; }));
  test::settle(*engine);
  EXPECT_EQ(client.spaces, 2);
}

TEST_F(ConnectionTest, SpaceMayBeAskedForAgainInsideItsCallback) {
  client.then_space = [&](Connection& connection) {
    EXPECT_TRUE(connection.can_send());
    while (connection.try_send(bytes("m"))) {
    }
    if (client.spaces < 10) connection.request_space();
  };
  near.request_space();
  EXPECT_TRUE(run_until([&] { return client.spaces == 10; }));
}

TEST_F(ConnectionTest, ATaskThatIsHeldCanBeTakenBack) {
  fill();
  SendTask& first = task("first");
  SendTask& second = task("second");
  EXPECT_EQ(first.cancel().error().code, Errc::bad_state);
  ASSERT_TRUE(first.submit());
  ASSERT_TRUE(second.submit());
  ASSERT_TRUE(first.cancel());
  EXPECT_EQ(near.tasks_in_flight(), 1u);
  far.resume();
  ASSERT_TRUE(run_until([&] { return server.received.size() == 5; }));
  EXPECT_EQ(server.received.back(), "second");
  EXPECT_TRUE(first.free());
  test::settle(*engine);
  EXPECT_EQ(client.completions.size(), 1u);
}

TEST_F(ConnectionTest, ATaskThatIsDeliveredCannotBeTakenBack) {
  SendTask& sent = task("sent");
  ASSERT_TRUE(sent.submit());
  EXPECT_EQ(sent.cancel().error().code, Errc::again);
  EXPECT_TRUE(run_until([&] { return client.completions.size() == 1; }));
}

// --- Receiving at one's own pace ---------------------------------------------------------

TEST_F(ConnectionTest, AMessageThatIsKeptIsShownAgainAfterResume) {
  server.then_receive = [](Connection&) { return Receipt::kKeep; };
  ASSERT_TRUE(near.try_send(bytes("first")));
  ASSERT_TRUE(near.try_send(bytes("second")));
  ASSERT_TRUE(run_until([&] { return far.paused(); }));
  EXPECT_EQ(far.counters().received_messages, 0u);
  server.then_receive = [](Connection&) { return Receipt::kTaken; };
  test::settle(*engine);
  EXPECT_TRUE(server.received.empty());
  far.resume();
  ASSERT_TRUE(run_until([&] { return server.received.size() == 2; }));
  EXPECT_EQ(server.received, (Texts{"first", "second"}));
}

TEST_F(ConnectionTest, APausedConnectionHandsOutMessagesOnRequestOnly) {
  EXPECT_FALSE(far.take()) << "not paused";
  far.pause();
  ASSERT_TRUE(near.try_send(bytes("first")));
  ASSERT_TRUE(near.try_send(bytes("second")));
  test::settle(*engine);
  EXPECT_TRUE(server.received.empty());
  EXPECT_EQ(text_of(far.take().value()), "first");
  EXPECT_EQ(text_of(far.take().value()), "second");
  EXPECT_FALSE(far.take());
  EXPECT_EQ(far.counters().received_messages, 2u);
}

TEST_F(ConnectionTest, PeekShowsWhatTakeWouldTakeAndWhenItCame) {
  EXPECT_FALSE(far.peek()) << "not paused";
  far.pause();
  ASSERT_TRUE(near.try_send(bytes("first")));
  ASSERT_TRUE(near.try_send(bytes("second")));
  ASSERT_TRUE(run_until([&] { return far.peek().has_value(); }));
  const std::uint64_t first = far.arrival();
  EXPECT_EQ(text_of(far.peek().value()), "first");
  EXPECT_EQ(text_of(far.take().value()), "first");
  EXPECT_EQ(text_of(far.peek().value()), "second");
  EXPECT_GE(far.arrival(), first);
  EXPECT_EQ(far.counters().received_messages, 1u) << "what was only shown is not taken";
}

TEST_F(ConnectionTest, PauseInsideTheCallbackTakesEffectBehindTheMessageShown) {
  server.then_receive = [](Connection& connection) {
    connection.pause();
    EXPECT_FALSE(connection.take()) << "the first of the queue is the one being shown";
    return Receipt::kTaken;
  };
  ASSERT_TRUE(near.try_send(bytes("first")));
  ASSERT_TRUE(near.try_send(bytes("second")));
  test::settle(*engine);
  EXPECT_EQ(server.received, Texts{"first"});
  EXPECT_EQ(text_of(far.take().value()), "second");
}

TEST_F(ConnectionTest, RoomThatTakeMadeIsToldToASenderThatWaits) {
  fill();
  near.request_space();
  test::settle(*engine);
  while (far.take()) {
  }
  EXPECT_TRUE(run_until([&] { return client.spaces == 1; }));
}

TEST_F(ConnectionTest, ManyMessagesOfOnePeerAreHandedOutInBoundedPortions) {
  server->stop().value();
  ASSERT_TRUE(run_until_idle(*server.server));
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_TRUE(server->set_recv_queue_size(1000));
  connect();
  server.connection().pause();
  while (client.connection().try_send(bytes("m"))) {
  }
  server.connection().resume();
  server.received.clear();
  engine->progress();
  // One portion; another where the kernel had news, after which it looks at memory again.
  EXPECT_GE(server.received.size(), 64u);
  EXPECT_LE(server.received.size(), 128u);
}

// --- Ending ------------------------------------------------------------------------------

TEST_F(ConnectionTest, WhatWasSentBeforeADisconnectIsHandedOutBeforeTheEndIsTold) {
  near.pause();
  for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(far.try_send(bytes(text)));
  ASSERT_TRUE(server->disconnect(far));
  ASSERT_TRUE(run_until([&] { return near.state() == ConnectionState::kDraining; }));
  test::settle(*engine);
  EXPECT_EQ(client->state(), ContextState::kRunning);
  EXPECT_EQ(near.try_send(bytes("m")).error().code, Errc::connection_reset);
  EXPECT_FALSE(near.can_send());
  EXPECT_EQ(text_of(near.take().value()), "one");
  near.resume();
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.received, (Texts{"two", "three"}));
}

TEST_F(ConnectionTest, APausedConnectionWithoutMessagesEndsByItself) {
  near.pause();
  ASSERT_TRUE(server->disconnect(far));
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(ConnectionTest, ADrainingConnectionEndsWhenTheLastMessageWasTaken) {
  near.pause();
  ASSERT_TRUE(far.try_send(bytes("last")));
  ASSERT_TRUE(server->disconnect(far));
  ASSERT_TRUE(run_until([&] { return near.state() == ConnectionState::kDraining; }));
  EXPECT_EQ(text_of(near.take().value()), "last");
  EXPECT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::shutdown);
}

TEST_F(ConnectionTest, ADisconnectDeliversWhatIsHeldFirst) {
  near.pause();
  int sent = 0;
  while (far.try_send(bytes("filler"))) ++sent;
  ASSERT_TRUE(server->allocate_send(far, bytes("held")).value()->submit());
  ASSERT_TRUE(server->disconnect(far));
  EXPECT_EQ(far.state(), ConnectionState::kClosing);
  EXPECT_EQ(far.try_send(bytes("late")).error().code, Errc::bad_state);
  EXPECT_EQ(server->disconnect(far).error().code, Errc::invalid_value) << "it is ending already";
  near.resume();
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.received.size(), static_cast<std::size_t>(sent + 1));
  EXPECT_EQ(client.received.back(), "held");
  EXPECT_EQ(client->failure().error.code, Errc::shutdown) << "an orderly end";
}

TEST_F(ConnectionTest, ATaskOfAClosingConnectionComesBackWithShutdown) {
  near.pause();
  while (far.try_send(bytes("filler"))) {
  }
  ASSERT_TRUE(server->allocate_send(far, bytes("held")).value()->submit());
  ASSERT_TRUE(server->disconnect(far));
  ASSERT_TRUE(server->allocate_send(far, bytes("late")).value()->submit());
  ASSERT_TRUE(run_until([&] { return server.completions.size() == 1; }));
  EXPECT_EQ(server.completions[0].error().code, Errc::shutdown);
}

TEST_F(ConnectionTest, TakingTheLastHeldTaskBackEndsAClosingConnectionInOrder) {
  near.pause();
  while (far.try_send(bytes("filler"))) {
  }
  SendTask& held = *server->allocate_send(far, bytes("held")).value();
  ASSERT_TRUE(held.submit());
  ASSERT_TRUE(server->disconnect(far));
  ASSERT_TRUE(held.cancel());
  EXPECT_EQ(far.state(), ConnectionState::kClosed);
  ASSERT_TRUE(held.free());
  near.resume();
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::shutdown) << "an orderly end";
}

TEST_F(ConnectionTest, AnAbortDeliversNothingMoreAndThePeerSeesALoss) {
  near.pause();
  while (far.try_send(bytes("filler"))) {
  }
  ASSERT_TRUE(server->allocate_send(far, bytes("held")).value()->submit());
  ASSERT_TRUE(server->disconnect(far));
  ASSERT_TRUE(server->abort(far)) << "an abort hurries a disconnect up";
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.completions.at(0).error().code, Errc::shutdown);
  near.resume();
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.received.size(), 4u);
  EXPECT_EQ(client->failure().error.code, Errc::connection_reset);
}

TEST_F(ConnectionTest, AMessageWhoseCallbackDisconnectsIsCounted) {
  server.then_receive = [&](Connection& connection) {
    EXPECT_TRUE(server->disconnect(connection));
    return Receipt::kTaken;
  };
  std::uint64_t counted = 0;
  server.then_disconnected = [&](Connection& connection) {
    counted = connection.counters().received_messages;
    EXPECT_EQ(connection.state(), ConnectionState::kClosed);
    EXPECT_EQ(connection.try_send(bytes("m")).error().code, Errc::bad_state);
  };
  ASSERT_TRUE(near.try_send(bytes("first")));
  ASSERT_TRUE(near.try_send(bytes("second")));
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.received, Texts{"first"});
  EXPECT_EQ(counted, 1u);
}

TEST(ConnectionStateTest, EveryStateHasItsWord) {
  EXPECT_EQ(name(ConnectionState::kEstablished), "established");
  EXPECT_EQ(name(ConnectionState::kDraining), "draining");
  EXPECT_EQ(name(ConnectionState::kClosing), "closing");
  EXPECT_EQ(name(ConnectionState::kClosed), "closed");
}

}  // namespace
}  // namespace comch
