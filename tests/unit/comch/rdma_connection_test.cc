// What a network does to a connection of two machines, and what its ends are told then.
#include <gtest/gtest.h>

#include "unit/comch/over_fake_verbs.h"
#include "unit/comch/pair.h"

namespace comch::test {
namespace {

using RdmaConnectionTest = ConnectedPair;

// Nobody is left to acknowledge it a second time; the goodbye says that it was taken.
TEST_F(RdmaConnectionTest, ATaskWhoseMessageEndsTheConnectionWasSentThoughItIsNotAcknowledged) {
  server.then_receive = [&](Connection& connection) {
    EXPECT_TRUE(server->disconnect(connection));
    return Receipt::kTaken;
  };
  fabric().lose_acknowledgements(1);
  ASSERT_TRUE(task("the last").submit());
  ASSERT_TRUE(run_until_idle(*client.client));
  EXPECT_EQ(server.received, std::vector<std::string>{"the last"});
  ASSERT_EQ(client.completions.size(), 1U);
  EXPECT_TRUE(client.completions.front());
}

TEST_F(RdmaConnectionTest, ATaskWhoseMessageWasNotTakenIsLostWithTheConnection) {
  server.connection().pause();
  fabric().lose_acknowledgements(1);
  ASSERT_TRUE(task("unheard").submit());
  ASSERT_TRUE(server->disconnect(server.connection()));
  ASSERT_TRUE(run_until_idle(*client.client));
  EXPECT_TRUE(server.received.empty());
  ASSERT_EQ(client.completions.size(), 1U);
  ASSERT_FALSE(client.completions.front());
  EXPECT_EQ(client.completions.front().error().code, Errc::connection_reset);
}

}  // namespace
}  // namespace comch::test
