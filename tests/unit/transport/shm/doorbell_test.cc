// Doorbell: it rings, or both sides learn that it cannot.
#include "transport/shm/doorbell.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "comch/log.h"
#include "os/seq_socket.h"
#include "unit/transport/shm/failing_sends.h"
#include "unit/transport/shm/liar.h"

namespace comch::transport::shm {
namespace {

struct DoorbellTest : testing::Test {
  ~DoorbellTest() override { set_log_sink({}); }
  bool is_rung() const {
    const test::Heard heard = test::hear(sockets.second);
    return heard.packet && std::holds_alternative<wire::Doorbell>(*heard.packet);
  }
  std::pair<os::Fd, os::Fd> sockets = os::pair().value();
};

TEST_F(DoorbellTest, RingsAlsoWhenTheKernelHasNoMemoryForAMoment) {
  for (const int sys : {ENOBUFS, ENOMEM}) {
    const test::FailingSends some(sys, 3);
    ring(sockets.first);
    EXPECT_TRUE(is_rung()) << sys;
    EXPECT_EQ(test::FailingSends::failed(), 3);
  }
}

TEST_F(DoorbellTest, EndsTheConnectionAndSaysWhyWhenItCannot) {
  std::string said;
  set_log_sink([&](LogLevel, std::string_view line) { said += line; });
  {
    const test::FailingSends all(ENOBUFS);
    ring(sockets.first);
  }
  EXPECT_TRUE(test::hear(sockets.second).raw.end);
  EXPECT_TRUE(test::hear(sockets.first).raw.end);
  EXPECT_NE(said.find("ENOBUFS"), std::string::npos) << said;
}

TEST_F(DoorbellTest, AFullSocketAndOneThatIsGoneAreLeftAlone) {
  const test::FailingSends full(EAGAIN);
  ring(sockets.first);
  EXPECT_EQ(test::FailingSends::failed(), 1);
  EXPECT_FALSE(test::hear(sockets.second).raw.end);
  sockets.second.reset();
  ring(sockets.first);
}

TEST_F(DoorbellTest, WhoWaitsForHisWordGetsNoPacket) {
  comch::shm::Bell<> bell;
  comch::shm::BellSleeper<> sleeper(bell);
  comch::shm::BellRinger<> ringer(bell);
  ASSERT_FALSE(sleeper.arm());
  ASSERT_TRUE(ringer.should_ring());
  ring(ringer, sockets.first);
  EXPECT_TRUE(is_rung()) << "he did not ask for it";
  sleeper.disarm();
  ASSERT_FALSE(sleeper.arm());
  const WakeWord word = ask_for_word(sleeper);
  EXPECT_EQ(*word.word, word.value);
  ASSERT_TRUE(ringer.should_ring());
  ring(ringer, sockets.first);
  EXPECT_NE(*word.word, word.value);
  EXPECT_FALSE(is_rung());
}

}  // namespace
}  // namespace comch::transport::shm
