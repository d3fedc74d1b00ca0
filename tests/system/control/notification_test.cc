// Notification: programs that sleep in poll() on event_fd() and must miss no news of any
// kind, from another process.
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

// The loop that progress_engine.h prescribes, word for word. False: nobody woke us in time.
bool sleep_until(ProgressEngine& engine, const std::function<bool()>& done) {
  const test::Deadline deadline;
  for (;;) {
    while (engine.progress()) {
    }
    if (done()) return true;
    engine.request_notification().value();
    pollfd wait{.fd = engine.event_fd(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&wait, 1, deadline.left_ms());
    engine.clear_notification().value();
    if (ready != 1) return false;
  }
}

// A server that echoes and sleeps between messages. Ends when its first client has gone.
int sleepy_server(const test::Gate& ready) {
  auto engine = ProgressEngine::create().value();
  test::ServerParty server(*engine);
  server.then_receive = [&](Connection& from) {
    EXPECT_TRUE(from.try_send(test::bytes(server.received.back())));
    return Receipt::kTaken;
  };
  server->start().value();
  ready.open();
  EXPECT_TRUE(sleep_until(*engine, [&] { return server.endings.size() == 1; }));
  return 0;
}

struct NotificationTest : testing::Test {
  test::RuntimeDirectory runtime;
  test::Gate ready;
};

TEST_F(NotificationTest, EveryNewsWakesASleeperFromStartingToIdle) {
  auto peer = test::ChildProcess::run([&] { return sleepy_server(ready); });
  ASSERT_TRUE(ready.wait());
  auto engine = ProgressEngine::create().value();
  test::ClientParty client(*engine);
  ASSERT_TRUE(client->start());
  ASSERT_TRUE(sleep_until(*engine, [&] { return client->state() == ContextState::kRunning; }));
  for (std::size_t i = 1; i <= 500; ++i) {
    ASSERT_TRUE(client.connection().try_send(test::bytes("ping")));
    ASSERT_TRUE(sleep_until(*engine, [&] { return client.received.size() == i; })) << i;
  }
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(sleep_until(*engine, [&] { return client->state() == ContextState::kIdle; }));
  EXPECT_EQ(peer.wait(), test::Exit::with(0));
}

TEST_F(NotificationTest, AFailureToConnectWakesASleeper) {
  auto engine = ProgressEngine::create().value();
  test::ClientParty client(*engine);
  ASSERT_TRUE(client->start());
  EXPECT_TRUE(sleep_until(*engine, [&] { return client->state() == ContextState::kIdle; }));
}

TEST_F(NotificationTest, RoomInTheQueueWakesASleeper) {
  auto peer = test::ChildProcess::run([&] {
    auto engine = ProgressEngine::create().value();
    test::ServerParty server(*engine);
    server->start().value();
    ready.open();
    EXPECT_TRUE(sleep_until(*engine, [&] { return server.received.size() == 2000; }));
    return 0;
  });
  ASSERT_TRUE(ready.wait());
  auto engine = ProgressEngine::create().value();
  test::ClientParty client(*engine);
  ASSERT_TRUE(client.connect());
  std::size_t sent = 0;
  client.then_space = [&](Connection& connection) {
    while (sent < 2000 && connection.try_send(test::bytes("m"))) ++sent;
    if (sent < 2000) connection.request_space();
  };
  client.connection().request_space();
  EXPECT_TRUE(sleep_until(*engine, [&] { return sent == 2000; }));
  EXPECT_EQ(peer.wait(), test::Exit::with(0));
}

TEST_F(NotificationTest, TheDeathOfThePeerWakesASleeper) {
  auto peer = test::ChildProcess::run([&] { return sleepy_server(ready); });
  ASSERT_TRUE(ready.wait());
  auto engine = ProgressEngine::create().value();
  test::ClientParty client(*engine);
  ASSERT_TRUE(client.connect());
  peer.kill(SIGKILL);
  EXPECT_TRUE(sleep_until(*engine, [&] { return client->state() == ContextState::kIdle; }));
  EXPECT_EQ(client->failure().error.code, Errc::connection_reset);
}

// The same with COMCH_NO_MEMBARRIER: both sides fall back to a fence per message.
TEST_F(NotificationTest, WithoutMembarrierNoNewsIsMissedEither) {
  ::setenv("COMCH_NO_MEMBARRIER", "1", 1);
  auto both = test::ChildProcess::run([&] {
    auto peer = test::ChildProcess::run([&] { return sleepy_server(ready); });
    EXPECT_TRUE(ready.wait());
    auto engine = ProgressEngine::create().value();
    test::ClientParty client(*engine);
    EXPECT_TRUE(client.connect());
    for (std::size_t i = 1; i <= 500; ++i) {
      EXPECT_TRUE(client.connection().try_send(test::bytes("ping")));
      EXPECT_TRUE(sleep_until(*engine, [&] { return client.received.size() == i; })) << i;
    }
    EXPECT_TRUE(client->stop());
    EXPECT_TRUE(client.run_until_idle());
    EXPECT_EQ(peer.wait(), test::Exit::with(0));
    return 0;
  });
  ::unsetenv("COMCH_NO_MEMBARRIER");
  EXPECT_EQ(both.wait(test::Deadline(2 * test::patience())), test::Exit::with(0));
}

}  // namespace
}  // namespace comch
