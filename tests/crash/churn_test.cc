// A thousand clients that come and go: neither descriptors nor mappings nor memory grow.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>

#include "support/process_counters.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

struct ChurnTest : testing::Test {
  // One client that comes, says something and goes, in order or not.
  void come_and_go(int number) {
    test::ClientParty client(*engine);
    ASSERT_TRUE(client.connect()) << client->failure().text;
    ASSERT_TRUE(client.connection().try_send(test::bytes("m")));
    const auto before = server.endings.size();
    switch (number % 3) {
      case 0:
        ASSERT_TRUE(client->stop());
        break;
      case 1:
        ASSERT_TRUE(client->abort());
        break;
      default:
        client.client.reset();
        break;
    }
    ASSERT_TRUE(client.client == nullptr || client.run_until_idle());
    ASSERT_TRUE(test::until(*engine, [&] { return server.endings.size() > before; }));
    ASSERT_EQ(server.received.size(), 1u) << "what was sent before the end is handed out";
    server.received.clear();
    server.endings.clear();
  }

  test::RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  test::ServerParty server{*engine};
};

TEST_F(ChurnTest, AThousandClientsLeaveNothingBehind) {
  ASSERT_TRUE(server->start());
  int number = 0;
  while (number < 100) come_and_go(number++);
  const auto descriptors = test::open_descriptors();
  const auto mappings = test::mappings("comch-connection");
  const auto memory = test::resident_bytes();
  while (number < 1100 && !HasFatalFailure()) come_and_go(number++);
  EXPECT_EQ(test::open_descriptors(), descriptors);
  EXPECT_EQ(mappings, 0u);
  EXPECT_EQ(test::mappings("comch-connection"), 0u);
  // About a kilobyte for each of a thousand. Sanitizers keep what is freed for a while.
  if (::getenv("COMCH_TEST_SLOWDOWN") == nullptr) {
    EXPECT_LT(test::resident_bytes(), memory + (1U << 20U));
  }
  ASSERT_TRUE(server->stop());
  EXPECT_TRUE(runtime.entries().empty());
}

TEST_F(ChurnTest, AThousandRefusedClientsLeaveNothingBehind) {
  server->set_max_message_size(65).value();
  ASSERT_TRUE(server->start());
  const auto refuse_one = [&] {
    test::ClientParty client(*engine);
    ASSERT_FALSE(client.connect());
    ASSERT_EQ(client->failure().error.code, Errc::invalid_value);
  };
  for (int i = 0; i < 10; ++i) refuse_one();
  const auto descriptors = test::open_descriptors();
  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) refuse_one();
  EXPECT_EQ(test::open_descriptors(), descriptors);
  EXPECT_EQ(server->refused(), 1010u);
}

TEST_F(ChurnTest, AThousandStartsOfAServerLeaveNothingBehind) {
  // A carrier may open a device once and for all.
  ASSERT_TRUE(server->start());
  ASSERT_EQ(server->stop(), ContextState::kIdle);
  const auto descriptors = test::open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(server->start());
    ASSERT_EQ(server->stop(), ContextState::kIdle);
  }
  EXPECT_EQ(test::open_descriptors(), descriptors);
  EXPECT_TRUE(runtime.entries().empty());
}

}  // namespace
}  // namespace comch
