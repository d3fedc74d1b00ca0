// A peer that is stopped (SIGSTOP) never blocks anybody: progress() goes on, what cannot be
// delivered comes back, and a client of a stopped server times out.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct SigstopTest : testing::Test {
  SigstopTest() : peer(test::ChildProcess::run([this] { return serve(); })) {
    EXPECT_TRUE(ready.wait());
  }
  ~SigstopTest() override { peer.kill(SIGCONT); }

  int serve() {
    auto own_engine = ProgressEngine::create().value();
    test::ServerParty server(*own_engine);
    server->start().value();
    ready.open();
    const auto one_came_and_went = [&] { return server.endings.size() == 1; };
    return test::until(*own_engine, one_came_and_went, test::Deadline(3 * test::patience())) ? 0
                                                                                             : 1;
  }

  test::RuntimeDirectory runtime;
  test::Gate ready;
  test::ChildProcess peer;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
};

TEST_F(SigstopTest, AClientOfAStoppedServerTimesOut) {
  peer.kill(SIGSTOP);
  test::ClientParty client(*engine, {.timeout = 50ms});
  const auto start = Clock::now();
  EXPECT_FALSE(client.connect());
  EXPECT_EQ(client->failure().error.code, Errc::time_out);
  EXPECT_GE(Clock::now() - start, 50ms);
}

TEST_F(SigstopTest, ProgressGoesOnAndWhatCannotBeDeliveredComesBackWhenWeStop) {
  test::ClientParty client(*engine);
  ASSERT_TRUE(client.connect());
  peer.kill(SIGSTOP);
  while (client.connection().try_send(test::bytes("m"))) {
  }
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(client->allocate_send(client.connection(), test::bytes("m")).value()->submit());
  }
  // A thousand calls within the patience for one wait: none of them waited for the peer.
  const test::Deadline deadline;
  for (int i = 0; i < 1000; ++i) engine->progress();
  EXPECT_FALSE(deadline.passed());
  EXPECT_TRUE(client.completions.empty()) << "back-pressure is no failure";
  EXPECT_EQ(client->stop(), ContextState::kStopping);
  ASSERT_TRUE(client.run_until_idle()) << "a stopped peer keeps us for the linger time only";
  ASSERT_EQ(client.completions.size(), 8u);
  for (const Status& s : client.completions) EXPECT_EQ(s.error().code, Errc::time_out);
  peer.kill(SIGCONT);
  EXPECT_EQ(peer.wait(), test::Exit::with(0));
}

TEST_F(SigstopTest, APeerThatGoesOnAgainMissesNothing) {
  test::ClientParty client(*engine);
  ASSERT_TRUE(client.connect());
  for (int round = 0; round < 20; ++round) {
    peer.kill(SIGSTOP);
    while (client.connection().try_send(test::bytes("m"))) {
    }
    client.connection().request_space();
    peer.kill(SIGCONT);
    ASSERT_TRUE(test::until(*engine, [&] { return client.spaces == round + 1; })) << round;
  }
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(peer.wait(), test::Exit::with(0));
}

}  // namespace
}  // namespace comch
