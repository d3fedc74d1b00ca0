// Two hundred clients in one engine: each has its turn, and a loud one holds nobody up.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

constexpr std::size_t kClients = 200;

struct FairnessTest : testing::Test {
  FairnessTest() {
    server->start().value();
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.push_back(std::make_unique<test::ClientParty>(*engine, settings));
      (*clients.back())->start().value();
    }
    const auto connected = [&] { return server.connections.size() == kClients; };
    EXPECT_TRUE(test::until(*engine, connected));
    EXPECT_TRUE(test::until(*engine, [&] {
      return std::all_of(clients.begin(), clients.end(), [](const auto& client) {
        return (*client)->state() == ContextState::kRunning;
      });
    }));
    server.then_receive = [this](Connection& from) {
      ++heard[&from];
      return Receipt::kTaken;
    };
  }

  const test::Settings settings{.queue = 256};
  test::RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  test::ServerParty server{*engine, settings};
  std::vector<std::unique_ptr<test::ClientParty>> clients;
  std::map<Connection*, int> heard;
};

TEST_F(FairnessTest, EveryClientThatSpeaksIsHeardAlsoOutOfSleep) {
  for (int round = 1; round <= 3; ++round) {
    for (const auto& client : clients) {
      ASSERT_TRUE(client->connection().try_send(test::bytes("m")));
    }
    const auto all = [&] {
      return heard.size() == kClients &&
             std::all_of(heard.begin(), heard.end(),
                         [&](const auto& entry) { return entry.second == round; });
    };
    ASSERT_TRUE(test::until(*engine, all));
    engine->wait(std::chrono::milliseconds(5));  // Long enough for the quiet ones to sleep.
  }
}

TEST_F(FairnessTest, NobodyIsAheadByMoreThanItsPortionPerTurn) {
  for (const auto& client : clients) {
    while (client->connection().try_send(test::bytes("m"))) {
    }
  }
  const auto all_were_heard = [&] { return heard.size() == kClients; };
  ASSERT_TRUE(test::until(*engine, all_were_heard));
  const auto [least, most] = std::minmax_element(
      heard.begin(), heard.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_GE(least->second, 1);
  EXPECT_LE(most->second, 256);
  const auto everything = [&] {
    return std::all_of(heard.begin(), heard.end(),
                       [](const auto& entry) { return entry.second == 256; });
  };
  EXPECT_TRUE(test::until(*engine, everything)) << "nothing was lost";
}

TEST_F(FairnessTest, AClientThatNeverStopsTalkingDoesNotHoldUpTheOthers) {
  test::ClientParty& loud = *clients.front();
  loud.then_complete = [](SendTask& task) { std::ignore = task.submit(); };
  for (int i = 0; i < 8; ++i) {
    loud->allocate_send(loud.connection(), test::bytes("noise")).value()->submit().value();
  }
  for (std::size_t i = 1; i < kClients; ++i) {
    ASSERT_TRUE(clients[i]->connection().try_send(test::bytes("m")));
  }
  EXPECT_TRUE(test::until(*engine, [&] { return heard.size() == kClients; }));
  loud.then_complete = [](SendTask& task) { std::ignore = task.free(); };
}

}  // namespace
}  // namespace comch
