// LinkTest: the way between two devices is cut under a connection with work on both sides, at the
// device's own end or behind a switch. Everybody who waits is told, once, and the server lives on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "system/fast/traffic.h"
#include "unit/comch/parties.h"

namespace comch::test {
namespace {

constexpr std::uint32_t kTasks = 8;
constexpr std::uint32_t kPosted = 4;
constexpr std::size_t kWindow = 4;
// In more pieces than one each; one more than may be under way.
const Plan kPlan(kWindow + 1, {.size = 300'000});

// How the way is cut, on the clients' end of the guest's cable.
struct Cut {
  const char* name;
  const char* cut;
  const char* mend;
  // Kernel 6.1's soft-RoCE connects nobody any more on a device that had to say goodbye while its
  // link was down (rping shows the same): then this has to be the last case of its guest.
  bool connects_again;
};
std::ostream& operator<<(std::ostream& out, const Cut& cut) { return out << cut.name; }

const Cut kBehindASwitch{"behind_a_switch", "tc qdisc add dev rdma1 root netem loss 100%",
                         "tc qdisc del dev rdma1 root", true};
const Cut kLinkDown{"link_down", "ip link set rdma1 down", "ip link set rdma1 up", false};

// NOLINTNEXTLINE(cert-env33-c): the commands above, in a guest.
bool succeeds(const char* command) { return std::system(command) == 0; }

struct LinkTest : testing::TestWithParam<Cut> {
  void SetUp() override {
    if (std::getenv("RDMA_VM") == nullptr) GTEST_SKIP() << "only the guest's cable may be cut";
    ASSERT_TRUE(server->start());
  }
  void expect_lost(const std::vector<Status>& completions) {
    EXPECT_EQ(completions.size(), kTasks) << "each task comes back, and once";
    for (const Status& status : completions) {
      ASSERT_FALSE(status) << "it says that it arrived";
      EXPECT_EQ(status.error().code, Errc::connection_reset);
    }
  }

  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  ServerParty server{*engine, {.name = "cable"}};
};

TEST_P(LinkTest, AWayThatIsCutFailsEachTaskOnceAndTheServerLivesOn) {
  ClientParty client(*engine, {.name = "cable"});
  ASSERT_TRUE(client.connect());
  Receiver receiver(server.connection(), *engine, kPlan, Receiver::Options{.depth = kPosted});
  Sender sender(client.connection(), *engine, kPlan, Sender::Options{.window = kWindow});
  ASSERT_TRUE(receiver.start() && sender.start());
  ASSERT_TRUE(until(*engine, [&] { return !client.consumers.empty(); }));

  ASSERT_TRUE(succeeds(GetParam().cut));
  for (std::uint32_t n = 0; n < kTasks; ++n) {
    ASSERT_TRUE(server->allocate_send(server.connection(), bytes("down")).value()->submit());
    ASSERT_TRUE(client->allocate_send(client.connection(), bytes("up")).value()->submit());
  }
  sender.send_to(client.consumers);
  EXPECT_EQ(sender.accepted(), kWindow);

  const auto over = [&] {
    return server.endings.size() == 1 && client->state() == ContextState::kIdle &&
           sender.in_flight() == 0 && receiver.consumer().state() == ContextState::kIdle;
  };
  ASSERT_TRUE(until(*engine, over)) << sender.why();
  settle(*engine);
  ASSERT_TRUE(server.endings.front());
  EXPECT_EQ(server.endings.front()->code, Errc::connection_reset);
  expect_lost(server.completions);
  expect_lost(client.completions);
  EXPECT_EQ(sender.sent(), 0u);
  ASSERT_EQ(sender.failed().size(), kWindow) << "each task comes back, and once";
  for (const Error& error : sender.failed()) EXPECT_EQ(error.code, Errc::connection_reset);
  EXPECT_EQ(receiver.heard(), 0u);
  ASSERT_EQ(receiver.returned().size(), kPosted) << "each comes back, and once";
  for (const Status& status : receiver.returned()) {
    EXPECT_EQ(status.error().code, Errc::connection_reset);
  }

  EXPECT_EQ(server->state(), ContextState::kRunning);
  ASSERT_TRUE(succeeds(GetParam().mend));
  ClientParty next(*engine, {.name = "cable", .timeout = std::chrono::seconds(2)});
  const bool connected = next.connect();
  if (!connected && !GetParam().connects_again) {
    EXPECT_EQ(next->failure().error.code, Errc::time_out) << next->failure().text;
    EXPECT_EQ(server->state(), ContextState::kRunning);
    return;
  }
  ASSERT_TRUE(connected) << next->failure().text;
  ASSERT_TRUE(next.connection().try_send(bytes("alive")));
  EXPECT_TRUE(until(*engine, [&] { return server.received == std::vector<std::string>{"alive"}; }));
  next->stop().value();
  EXPECT_TRUE(next.run_until_idle());
}

INSTANTIATE_TEST_SUITE_P(By, LinkTest, testing::Values(kBehindASwitch, kLinkDown),
                         [](const auto& cut) { return std::string(cut.param.name); });

}  // namespace
}  // namespace comch::test
