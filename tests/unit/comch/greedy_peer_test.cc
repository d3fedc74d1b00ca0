// A peer that takes all it can get of a server's descriptors, and an innocent one beside it.
#include <sys/resource.h>

#include <vector>

#include "support/child_process.h"
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

constexpr rlim_t kFiles = 100;

// A server whose process has few descriptors.
int serve(const Gate& listens, const Gate& end) {
  const rlimit limit{.rlim_cur = kFiles, .rlim_max = kFiles};
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  auto engine = ProgressEngine::create().value();
  ServerParty server(*engine);
  EXPECT_TRUE(server->start());
  listens.open();
  while (!end.wait(Deadline(std::chrono::milliseconds(0)))) {
    engine->wait(std::chrono::milliseconds(1));
  }
  return 0;
}

struct GreedyPeerTest : testing::Test {
  // A consumer of `client`, started; it runs once the server has taken it.
  std::unique_ptr<Consumer> consumer(const ClientParty& client) {
    auto made = Consumer::create(client.connection(), memory.map()).value();
    made->configure_receive(4, [](ReceiveTask&) {}, [](ReceiveTask&) {}).value();
    engine->connect(*made).value();
    EXPECT_TRUE(made->start());
    return made;
  }
  ContextState state_of(const Consumer& consumer) {
    until(*engine, [&] { return consumer.state() != ContextState::kStarting; });
    return consumer.state();
  }

  RuntimeDirectory runtime;
  Gate listens, end;
  ChildProcess server = ChildProcess::run([&] { return serve(listens, end); });
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  Memory memory{4096};
  ClientParty greedy{*engine};
  ClientParty innocent{*engine};
};

TEST_F(GreedyPeerTest, HasItsShareAndAnInnocentOneIsServed) {
  ASSERT_TRUE(listens.wait());
  ASSERT_TRUE(greedy.connect());
  std::vector<std::unique_ptr<Consumer>> consumers;
  consumers.reserve(kFiles);
  for (rlim_t n = 0; n < kFiles; ++n) consumers.push_back(consumer(greedy));
  std::size_t taken = 0;
  for (const auto& one : consumers) {
    if (state_of(*one) == ContextState::kRunning) {
      ++taken;
    } else {
      EXPECT_EQ(one->failure().error.code, Errc::connection_reset);
    }
  }
  EXPECT_EQ(taken, kFiles / 4);
  ASSERT_TRUE(innocent.connect()) << innocent->failure().text;
  const auto one = consumer(innocent);
  EXPECT_EQ(state_of(*one), ContextState::kRunning);
  EXPECT_TRUE(greedy.connection().try_send(bytes("still connected")));
  // What it gives back it may have again.
  ASSERT_TRUE(consumers.front()->abort());
  EXPECT_TRUE(until(*engine, [&] {
    consumers.push_back(consumer(greedy));
    return state_of(*consumers.back()) == ContextState::kRunning;
  }));
  end.open();
  EXPECT_EQ(server.wait(), Exit::with(0));
  // The ends go before the memory, and before those they belong to.
  for (const auto& each : consumers) std::ignore = each->abort();
  std::ignore = one->abort();
  settle(*engine);
}

}  // namespace
}  // namespace comch::test
