// SendTask: the life of a task, and what each call answers in each of its states.
#include "comch/task.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/comch/pair.h"

namespace comch {
namespace {

using test::bytes;

struct TaskTest : test::ConnectedPair {};

TEST_F(TaskTest, ATaskThatWasSentComesBackOnceAndWell) {
  SendTask& sent = task("hello");
  EXPECT_EQ(&sent.context(), client.client.get());
  EXPECT_EQ(&sent.connection(), &client.connection());
  EXPECT_EQ(test::text_of(sent.message()), "hello");
  ASSERT_TRUE(sent.submit());
  EXPECT_EQ(sent.status().error().code, Errc::in_progress);
  ASSERT_TRUE(run_until([&] { return server.received.size() == 1; }));
  test::settle(*engine);
  ASSERT_EQ(client.completions.size(), 1u);
  EXPECT_TRUE(client.completions[0]);
}

TEST_F(TaskTest, TryingToSubmitDoesAsSubmit) {
  SendTask& sent = task("hello");
  ASSERT_TRUE(sent.try_submit());
  EXPECT_FALSE(sent.try_submit()) << "submitted already";
  ASSERT_TRUE(run_until([&] { return server.received.size() == 1; }));
}

// A task is free again when its message is in the peer's queue, which may take a round trip.
TEST_F(TaskTest, WhoAnswersInItsCallbackNeedsNoMoreTasksThanAnswersAtATime) {
  const test::Settings settings{.name = "few", .queue = 16, .tasks = 1};
  test::ServerParty few(*engine, settings);
  test::ClientParty asker(*engine, settings);
  ASSERT_TRUE(few->start());
  ASSERT_TRUE(asker.connect());
  few.then_receive = [&](Connection& from) {
    const auto answer = few->allocate_send(from, bytes("answer"));
    EXPECT_TRUE(answer && (*answer)->submit());
    return Receipt::kTaken;
  };
  for (int n = 0; n < 8; ++n) ASSERT_TRUE(asker.connection().try_send(bytes("question")));
  EXPECT_TRUE(run_until([&] { return asker.received.size() == 8; }));
}

TEST_F(TaskTest, ASubmittedTaskBelongsToItsContext) {
  fill();
  SendTask& held = task("held");
  ASSERT_TRUE(held.submit());
  EXPECT_EQ(held.submit().error().code, Errc::bad_state);
  EXPECT_EQ(held.free().error().code, Errc::bad_state);
  EXPECT_EQ(held.set_message(bytes("other")).error().code, Errc::bad_state);
}

TEST_F(TaskTest, OnceItsEndIsToldAConnectionTakesNoTasks) {
  SendTask& early = *server->allocate_send(server.connection(), bytes("early")).value();
  bool told = false;
  server.then_disconnected = [&](Connection& connection) {
    told = true;
    EXPECT_EQ(server->allocate_send(connection, bytes("late")).error().code, Errc::not_connected);
    EXPECT_EQ(early.submit().error().code, Errc::not_connected);
  };
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return told; }));
  EXPECT_TRUE(early.free());
}

TEST_F(TaskTest, AFreedTaskIsNobodys) {
  SendTask& freed = task("freed");
  ASSERT_TRUE(freed.free());
  EXPECT_EQ(freed.free().error().code, Errc::bad_state);
  EXPECT_EQ(freed.submit().error().code, Errc::bad_state);
  EXPECT_EQ(freed.cancel().error().code, Errc::bad_state);
}

TEST_F(TaskTest, ThereAreAsManyTasksAsWereConfigured) {
  std::vector<SendTask*> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back(&task("m"));
  EXPECT_EQ(client->allocate_send(client.connection(), {}).error().code, Errc::no_memory);
  ASSERT_TRUE(tasks.back()->free());
  EXPECT_TRUE(task("m").free());
}

TEST_F(TaskTest, AMessageAboveTheMaximumIsTooBig) {
  const std::string most(64, 'm');
  const std::string more(65, 'm');
  EXPECT_EQ(client->allocate_send(client.connection(), bytes(more)).error().code, Errc::too_big);
  SendTask& sent = task(most);
  EXPECT_EQ(sent.set_message(bytes(more)).error().code, Errc::too_big);
  ASSERT_TRUE(sent.submit());
  ASSERT_TRUE(run_until([&] { return server.received.size() == 1; }));
  EXPECT_EQ(server.received[0], most);
}

TEST_F(TaskTest, UserDataStaysWithATaskUntilItIsFreed) {
  SendTask& sent = task("m");
  EXPECT_EQ(sent.user_data().value, 0u);
  sent.set_user_data({.value = 42});
  std::uint64_t found = 0;
  client.then_complete = [&](SendTask& back) {
    found = back.user_data().value;
    EXPECT_TRUE(back.free());
  };
  ASSERT_TRUE(sent.submit());
  ASSERT_TRUE(run_until([&] { return found != 0; }));
  EXPECT_EQ(found, 42u);
  EXPECT_EQ(task("m").user_data().value, 0u) << "a fresh task knows nothing of its former life";
}

TEST_F(TaskTest, ATaskMayBeSubmittedAgainInsideItsCallbackWithAnotherMessage) {
  client.then_complete = [&](SendTask& back) {
    if (client.completions.size() == 1000) return std::ignore = back.free(), void();
    EXPECT_TRUE(back.set_message(bytes("again")));
    EXPECT_TRUE(back.submit());
  };
  ASSERT_TRUE(task("once").submit());
  ASSERT_TRUE(run_until([&] { return server.received.size() == 1000; }));
  EXPECT_EQ(server.received[0], "once");
  EXPECT_EQ(server.received[999], "again");
}

TEST_F(TaskTest, ACallbackThatResubmitsForEverDoesNotHoldTheEngine) {
  client.then_complete = [&](SendTask& back) { EXPECT_TRUE(back.submit()); };
  server.then_receive = [](Connection&) { return Receipt::kTaken; };
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(task("m").submit());
  engine->progress();
  EXPECT_LE(client.completions.size(), 256u);
  ASSERT_TRUE(run_until([&] { return server.received.size() > 1000; }));
  client.then_complete = [](SendTask& back) { std::ignore = back.free(); };
}

TEST_F(TaskTest, ATaskMayBeFreedAndAnotherAllocatedInsideTheCallback) {
  client.then_complete = [&](SendTask& back) {
    EXPECT_TRUE(back.free());
    if (client.completions.size() == 100) return;
    EXPECT_TRUE(task("next").submit());
  };
  ASSERT_TRUE(task("first").submit());
  EXPECT_TRUE(run_until([&] { return server.received.size() == 100; }));
}

TEST_F(TaskTest, TasksOfALostConnectionComeBackWithConnectionReset) {
  fill();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(task("held").submit());
  ASSERT_TRUE(server->abort(server.connection()));
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_EQ(client.completions.size(), 3u);
  for (const Status& s : client.completions) EXPECT_EQ(s.error().code, Errc::connection_reset);
}

TEST_F(TaskTest, ATaskWhoseConnectionIsGoneStaysTheCallers) {
  SendTask& kept = *server->allocate_send(server.connection(), bytes("m")).value();
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(kept.submit().error().code, Errc::not_connected);
  EXPECT_TRUE(kept.free());
}

TEST_F(TaskTest, AStoppingClientTakesTasksAndGivesThemBack) {
  SendTask& kept = task("kept");
  Connection& lost = client.connection();
  ASSERT_TRUE(server->abort(server.connection()));
  ASSERT_TRUE(run_until([&] { return client->state() == ContextState::kStopping; }));
  ASSERT_TRUE(kept.submit());
  ASSERT_TRUE(client->allocate_send(lost, bytes("late")).value()->submit());
  EXPECT_TRUE(client.run_until_idle());
  ASSERT_EQ(client.completions.size(), 2u);
  for (const Status& s : client.completions) EXPECT_EQ(s.error().code, Errc::connection_reset);
}

TEST_F(TaskTest, AStoppingServerGivesBackATaskWhoseConnectionIsGone) {
  SendTask& kept = *server->allocate_send(server.connection(), bytes("kept")).value();
  ASSERT_TRUE(server->stop());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  ASSERT_EQ(server->state(), ContextState::kStopping) << "a task is out";
  ASSERT_TRUE(kept.submit());
  EXPECT_TRUE(run_until([&] { return server->state() == ContextState::kIdle; }));
  ASSERT_EQ(server.completions.size(), 1u);
  EXPECT_EQ(server.completions[0].error().code, Errc::shutdown);
}

TEST_F(TaskTest, ATaskMayBeSubmittedWhileItsStoppingServerTellsOfTheEnd) {
  SendTask& kept = *server->allocate_send(server.connection(), bytes("kept")).value();
  server.then_disconnected = [&](Connection& connection) {
    EXPECT_TRUE(kept.submit());
    EXPECT_TRUE(server->allocate_send(connection, bytes("late")).value()->submit());
  };
  ASSERT_TRUE(server->stop());
  EXPECT_TRUE(run_until([&] { return server->state() == ContextState::kIdle; }));
  ASSERT_EQ(server.completions.size(), 2u);
  for (const Status& s : server.completions) EXPECT_EQ(s.error().code, Errc::shutdown);
}

TEST_F(TaskTest, ATaskForAnotherContextsConnectionIsRefused) {
  EXPECT_EQ(server->allocate_send(client.connection(), {}).error().code, Errc::invalid_value);
}

TEST_F(TaskTest, AContextWhoseEngineIsGoneGetsItsTasksBackAndRunsOnAnother) {
  fill();
  SendTask& held = task("held");
  ASSERT_TRUE(held.submit());
  engine.reset();
  EXPECT_EQ(client->state(), ContextState::kIdle);
  EXPECT_EQ(client->tasks_in_flight(), 0u);
  EXPECT_TRUE(held.free());
  EXPECT_TRUE(client.completions.empty()) << "no callback runs any more";
  auto other = ProgressEngine::create().value();
  ASSERT_TRUE(other->connect(*server.server));
  ASSERT_TRUE(server->start());
  EXPECT_EQ(server->stop(), ContextState::kIdle);
  server.server.reset();
  client.client.reset();
}

}  // namespace
}  // namespace comch
