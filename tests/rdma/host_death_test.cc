// HostDeath: one of two machines dies without a word; the other one notices, says so once to
// everybody who waits, and lives on. Run by two_guests.sh, a case in each guest at once:
//
//   HostDeath.ThePeerOfADeadHost...   on the machine that survives: the server
//   HostDeath.TheHostThatDies         on the other: its client, and the kernel's own crash
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "system/fast/traffic.h"
#include "unit/comch/parties.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kName = "mortal";
constexpr auto kPatience = 150s;     // Of the other guest's boot, on a busy machine.
constexpr std::uint32_t kTasks = 8;  // Twice what a queue of these settings takes.
constexpr std::uint32_t kPosted = 4;
const Plan kMessage{{.size = 4096}};

// A client that tries until the server is there; nothing when it never was.
std::unique_ptr<ClientParty> connect(ProgressEngine& engine) {
  const Deadline deadline(kPatience);
  while (!deadline.passed()) {
    auto client = std::make_unique<ClientParty>(engine, Settings{.name = kName, .timeout = 2s});
    if (client->connect()) return client;
  }
  return nullptr;
}

TEST(HostDeath, ThePeerOfADeadHostLosesItsConnectionOnceAndServesTheNext) {
  const auto engine = ProgressEngine::create().value();
  ServerParty server(*engine, {.name = kName});
  ASSERT_TRUE(server->start());
  ASSERT_TRUE(until(*engine, [&] { return !server.connections.empty(); }, Deadline(kPatience)));
  Connection& connection = server.connection();
  auto receiver = std::make_unique<Receiver>(connection, *engine, kMessage,
                                             Receiver::Options{.depth = kPosted});
  ASSERT_TRUE(receiver->start());
  const auto here = [&] { return server.received.size() == 1 && receiver->heard() == 1; };
  ASSERT_TRUE(until(*engine, here, Deadline(kPatience)));

  // The last message that is heard there, and behind it more than its queue takes.
  server.then_complete = [](SendTask& task) { std::ignore = task.free(); };
  ASSERT_TRUE(connection.try_send(bytes("die")));
  for (std::uint32_t n = 0; n < kTasks; ++n) {
    ASSERT_TRUE(server->allocate_send(connection, bytes("unheard")).value()->submit());
  }
  const auto killed = std::chrono::steady_clock::now();
  const auto idle = [&] { return receiver->consumer().state() == ContextState::kIdle; };
  ASSERT_TRUE(until(*engine, idle, Deadline(kPatience)));
  EXPECT_EQ(receiver->returned().size(), kPosted) << "each comes back, and once";
  for (const Status& status : receiver->returned()) {
    EXPECT_EQ(status.error().code, Errc::connection_reset);
  }
  EXPECT_EQ(receiver->wrong(), 0u);
  receiver.reset();
  ASSERT_TRUE(until(*engine, [&] { return server.endings.size() == 1; }, Deadline(kPatience)));
  const auto noticed = std::chrono::steady_clock::now() - killed;
  EXPECT_LT(noticed, 20s) << "the keepalive of this test is 2 s";
  ASSERT_TRUE(server.endings.front());
  EXPECT_EQ(server.endings.front()->code, Errc::connection_reset);

  EXPECT_EQ(server.completions.size(), kTasks) << "each task comes back, and once";
  std::size_t lost = 0;
  for (const Status& status : server.completions) {
    if (status) continue;  // In the queue of the machine that was still there.
    ++lost;
    EXPECT_EQ(status.error().code, Errc::connection_reset);
  }
  EXPECT_GT(lost, 0u);

  EXPECT_EQ(server->state(), ContextState::kRunning);
  const auto next = connect(*engine);
  ASSERT_NE(next, nullptr);
  ASSERT_TRUE(next->connection().try_send(bytes("alive")));
  EXPECT_TRUE(until(*engine, [&] { return server.received.size() == 2; }));
  next->client->stop().value();
  EXPECT_TRUE(next->run_until_idle());
  std::ignore = server->stop();
  EXPECT_TRUE(until(*engine, [&] { return server->state() == ContextState::kIdle; }));
}

TEST(HostDeath, TheHostThatDies) {
  const auto engine = ProgressEngine::create().value();
  const auto client = connect(*engine);
  ASSERT_NE(client, nullptr);
  bool heard = false;
  client->then_receive = [&](Connection&) {
    heard = true;
    return Receipt::kKeep;  // What follows waits.
  };
  ASSERT_TRUE(until(*engine, [&] { return !client->consumers.empty(); }, Deadline(kPatience)));
  Sender sender(client->connection(), *engine, kMessage);
  ASSERT_TRUE(sender.start());
  sender.send_to(client->consumers);
  ASSERT_TRUE(until(*engine, [&] { return sender.done(); }, Deadline(kPatience)));
  ASSERT_TRUE(client->connection().try_send(bytes("here")));
  ASSERT_TRUE(until(*engine, [&] { return heard; }, Deadline(kPatience)));
  std::ofstream("/proc/sysrq-trigger") << "b" << std::flush;
  FAIL() << "still alive";
}

}  // namespace
}  // namespace comch::test
