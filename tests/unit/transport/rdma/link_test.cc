// Link: positions, doorbells, rings, and how it breaks.
#include "transport/rdma/link.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <cstring>

#include "support/fake_link.h"

namespace comch::transport::rdma {
namespace {

constexpr const char* kClient = "10.0.0.1";
constexpr const char* kServer = "10.0.0.2";

struct RdmaLinkTest : testing::Test {
  RdmaLinkTest() {
    const Fabric there = Fabric::of(*link.server.id, {}).value();
    ours = Link::make(here, 4).value();
    theirs = Link::make(there, 4).value();
    ours->connect(here, theirs->self()).value();
    theirs->connect(there, ours->self()).value();
    link.fabric.reset_counts();
  }
  SendRequest write(std::uint64_t offset, std::uint32_t size = 8) {
    return write_to(target, offset,
                    {link.client.memory.data(), size, link.client.region->local_key},
                    ours->max_inline());
  }
  Status post(std::uint64_t offset, std::uint32_t size = 8) {
    std::array<SendRequest, 1> request{write(offset, size)};
    return ours->post(request);
  }
  static bool readable(const Link& link) {
    pollfd look{.fd = link.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, 0) == 1;
  }

  test::FakeLink link;
  const Fabric here = Fabric::of(*link.client.id, {}).value();
  const wire::Target target{reinterpret_cast<std::uint64_t>(link.server.memory.data()),
                            link.server.region->remote_key};
  std::unique_ptr<Link> ours;
  std::unique_ptr<Link> theirs;
};

TEST_F(RdmaLinkTest, AWriteHasAPositionAndIsDoneWhenItIsAcknowledged) {
  link.client.memory[0] = std::byte{42};
  ASSERT_TRUE(post(16));
  EXPECT_EQ(ours->posted(), 1U);
  EXPECT_EQ(ours->done(), 0U) << "nobody has asked";
  EXPECT_FALSE(ours->idle());
  EXPECT_TRUE(ours->poll());
  EXPECT_EQ(ours->done(), 1U);
  EXPECT_TRUE(ours->idle());
  EXPECT_EQ(link.server.memory[16], std::byte{42});
  EXPECT_FALSE(theirs->poll()) << "a write costs the other side nothing";
}

TEST_F(RdmaLinkTest, APostIsOneDoorbellAndOneCompletion) {
  std::array<SendRequest, 3> requests{write(0), write(8), write(16)};
  ASSERT_TRUE(ours->post(requests));
  EXPECT_EQ(ours->room(), 1U);
  ours->poll();
  EXPECT_EQ(ours->done(), 3U);
  EXPECT_EQ(ours->room(), 4U);
  const auto counts = link.fabric.counts(kClient);
  EXPECT_EQ(counts.doorbells, 1U);
  EXPECT_EQ(counts.completions, 1U);
  EXPECT_EQ(counts.inlined, 3U);
}

TEST_F(RdmaLinkTest, RingsWakeTheOtherEndAndAreNeverShortOfAReceive) {
  for (int n = 0; n < 20; ++n) {
    theirs->arm();
    EXPECT_FALSE(readable(*theirs));
    ours->ring();
    EXPECT_TRUE(readable(*theirs));
    theirs->drain();
    EXPECT_FALSE(readable(*theirs));
    EXPECT_TRUE(theirs->poll());
    EXPECT_EQ(theirs->take_rings(), 1U);
    EXPECT_EQ(theirs->take_rings(), 0U);
    ours->poll();
  }
  EXPECT_EQ(ours->wakes_sent(), 20U);
  EXPECT_EQ(link.fabric.counts(kServer).not_ready, 0U);
}

TEST_F(RdmaLinkTest, AWriteThatTheOtherDeviceRefusesBreaksItWithTheReason) {
  ASSERT_TRUE(post(4096));
  EXPECT_TRUE(ours->poll());
  ASSERT_TRUE(ours->failure());
  EXPECT_EQ(ours->failure()->code, Errc::connection_reset);
  EXPECT_EQ(ours->done(), 0U);
  EXPECT_TRUE(ours->idle()) << "nothing will come any more";
  EXPECT_FALSE(post(0));
}

TEST_F(RdmaLinkTest, AHostThatIsGoneBreaksIt) {
  link.fabric.kill_host(kServer);
  ASSERT_TRUE(post(0));
  ours->poll();
  EXPECT_FALSE(ours->failure()) << "not yet";
  link.fabric.time_out();
  ours->poll();
  EXPECT_TRUE(ours->failure());
}

TEST_F(RdmaLinkTest, ADeviceThatTakesNoRequestBreaksIt) {
  link.fabric.fail_call(1, EIO);
  const Status posted = post(0);
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().sys, EIO);
  EXPECT_TRUE(ours->failure());
}

TEST_F(RdmaLinkTest, EveryCallOfItsMakingMayFailAndNothingIsLeft) {
  const std::uint64_t pairs = link.fabric.counts(kClient).queue_pairs;
  for (std::uint64_t call = 1; call <= 2; ++call) {
    link.fabric.fail_call(call, ENOMEM);
    const auto made = Link::make(here, 4);
    ASSERT_FALSE(made) << call;
    EXPECT_EQ(made.error().sys, ENOMEM);
    EXPECT_EQ(link.fabric.counts(kClient).queue_pairs, pairs);
  }
}

}  // namespace
}  // namespace comch::transport::rdma
