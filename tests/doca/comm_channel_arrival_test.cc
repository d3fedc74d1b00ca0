// Messages of several clients are received in the order in which they came, however late the
// service looks.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

struct ArrivalTest : LegacyTest {
  std::vector<Endpoint> several(Endpoint& service, int count) {
    std::vector<Endpoint> clients;
    clients.reserve(static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n) clients.push_back(connected(service));
    return clients;
  }

  // The next `count` messages; fewer where one does not come.
  static std::vector<std::string> next_of(Endpoint& service, std::size_t count) {
    std::vector<std::string> received;
    while (received.size() < count) {
      const auto message = service.next();
      if (!message) break;
      received.push_back(*message);
    }
    return received;
  }

  using Messages = std::vector<std::string>;
};

TEST_F(ArrivalTest, IsTheOrderWhereTheServiceKeepsUp) {
  Endpoint service = listening();
  const std::vector<Endpoint> clients = several(service, 2);
  for (std::size_t round = 0; round < 20; ++round) {
    ASSERT_EQ(clients[round % 3 / 2].send(std::to_string(round)), DOCA_SUCCESS);
    EXPECT_EQ(service.next(), std::to_string(round));
  }
}

// So many clients that the engine does not poll all of them: some sleep, and ring.
TEST_F(ArrivalTest, IsTheOrderOverTwelveClientsThatSendWhileTheServiceIsElsewhere) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE(testing::Message() << "COMCH_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  Endpoint service = listening();
  const std::vector<Endpoint> clients = several(service, 12);
  Messages sent;
  std::size_t received = 0;
  for (int round = 0; round < 50; ++round) {
    for (auto left = random() % 40; left > 0; --left) {
      sent.push_back(std::to_string(sent.size()));
      ASSERT_EQ(clients[random() % clients.size()].send(sent.back()), DOCA_SUCCESS);
    }
    // Some stay until the next round, and are older than what comes in it.
    for (auto left = random() % (sent.size() - received + 1); left > 0; --left) {
      ASSERT_EQ(service.next(), sent[received]);
      ++received;
    }
  }
}

TEST_F(ArrivalTest, OfWhatWaitedIsBeforeWhatCameWhileOthersWereReceived) {
  Endpoint service = listening();
  const std::vector<Endpoint> clients = several(service, 2);
  for (const char* message : {"a1", "a2"}) ASSERT_EQ(clients[0].send(message), DOCA_SUCCESS);
  ASSERT_EQ(clients[1].send("b1"), DOCA_SUCCESS);
  EXPECT_EQ(service.next(), "a1");
  ASSERT_EQ(clients[0].send("a3"), DOCA_SUCCESS);
  ASSERT_EQ(clients[1].send("b2"), DOCA_SUCCESS);
  EXPECT_EQ(next_of(service, 4), (Messages{"a2", "b1", "a3", "b2"}));
}

TEST_F(ArrivalTest, CountsForAClientThatIsAcceptedLate) {
  Endpoint service = listening();
  const Endpoint one = connected(service);
  const Endpoint two = connecting();
  ASSERT_TRUE(eventually([&] {  // The service's calls run it, and accept nobody.
    std::ignore = doca_comm_channel_ep_update_service_state_info(service);
    return update_of(two.peer) == DOCA_SUCCESS;
  }));
  ASSERT_EQ(one.send("a1"), DOCA_SUCCESS);
  ASSERT_EQ(two.send("b1"), DOCA_SUCCESS);
  ASSERT_EQ(one.send("a2"), DOCA_SUCCESS);
  EXPECT_EQ(next_of(service, 3), (Messages{"a1", "b1", "a2"}));
}

TEST_F(ArrivalTest, OfWhatHadNoRoomIsWhenItGotSome) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  const std::vector<Endpoint> clients = several(service, 2);
  for (int n = 0; n < 17; ++n) ASSERT_EQ(clients[0].send(std::to_string(n)), DOCA_SUCCESS);
  ASSERT_EQ(clients[1].send("b"), DOCA_SUCCESS);
  for (int n = 0; n < 16; ++n) ASSERT_EQ(service.next(), std::to_string(n));
  ASSERT_EQ(update_of(clients[0].peer), DOCA_SUCCESS);  // Its engine runs, and sends the last.
  EXPECT_EQ(next_of(service, 2), (Messages{"b", "16"}));
}

TEST_F(ArrivalTest, OfLastWordsCountsThoughTheirSenderIsGone) {
  Endpoint service = listening();
  std::vector<Endpoint> clients = several(service, 2);
  ASSERT_EQ(clients[0].send("a1"), DOCA_SUCCESS);
  ASSERT_EQ(clients[1].send("b1"), DOCA_SUCCESS);
  ASSERT_EQ(clients[0].send("a2"), DOCA_SUCCESS);
  clients[0].destroy();
  ASSERT_EQ(clients[1].send("b2"), DOCA_SUCCESS);
  EXPECT_EQ(next_of(service, 4), (Messages{"a1", "b1", "a2", "b2"}));
}

// A process that connects, and sends one message each time it is told to.
struct SendingProcess {
  SendingProcess(std::string name, int count)
      : child(ChildProcess::run([this, name = std::move(name), count] {
          const OpenDevice host(kHostPci);
          Endpoint client(host);
          if (client.connect("echo") != DOCA_SUCCESS) return 1;
          if (!eventually([&] { return update_of(client.peer) == DOCA_SUCCESS; })) return 2;
          sent.open();
          for (int n = 0; n < count; ++n) {
            if (!go.wait()) return 3;
            if (client.send(name + std::to_string(n)) != DOCA_SUCCESS) return 4;
            sent.open();
          }
          return go.wait() ? 0 : 5;
        })) {}

  Gate go;
  Gate sent;
  ChildProcess child;
};

TEST_F(ArrivalTest, IsTheOrderOverSeveralProcesses) {
  constexpr int kMessages = 40;
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE(testing::Message() << "COMCH_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  Endpoint service = listening();
  std::vector<std::unique_ptr<SendingProcess>> processes;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    processes.push_back(std::make_unique<SendingProcess>(name, kMessages));
  }
  for (const auto& process : processes) {
    ASSERT_TRUE(eventually([&] {
      EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);  // Accepts it.
      return process->sent.wait(Deadline(std::chrono::milliseconds(1)));
    }));
  }
  std::vector<int> counts(processes.size(), 0);
  Messages sent;
  for (std::size_t n = 0; n < kMessages * processes.size(); ++n) {
    std::size_t who = random() % processes.size();
    while (counts[who] == kMessages) who = (who + 1) % processes.size();
    processes[who]->go.open();
    ASSERT_TRUE(processes[who]->sent.wait());
    sent.push_back(std::string(1, "abcdef"[who]) + std::to_string(counts[who]++));
  }
  EXPECT_EQ(next_of(service, sent.size()), sent);
  for (const auto& process : processes) {
    process->go.open();
    EXPECT_EQ(process->child.wait(), Exit::with(0));
  }
}

}  // namespace
}  // namespace comch::test
