// ShmChannel: both ends in this process, or one end and a bare socket that lies.
#include "transport/shm/channel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/ration.h"
#include "os/memory.h"
#include "os/seq_socket.h"
#include "support/bytes.h"
#include "support/log_lines.h"
#include "unit/os/unclosed.h"
#include "unit/transport/shm/failing_sends.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/liar.h"
#include "wire/fast_packet.h"

namespace comch::transport::shm {
namespace {

using comch::shm::ControlLayout;
using test::bytes;

struct FakeChannelOwner final : ChannelOwner {
  void on_wake() override { ++wakes; }
  void on_peer_end() override { ++ends; }
  void on_consumer(std::uint32_t, bool) override {}
  int wakes = 0;
  int ends = 0;
};

struct ChannelTest : testing::Test {
  ChannelTest() {
    auto [left, right] = os::pair().value();
    server = end_of(std::move(left), true);
    peer_socket = std::move(right);
    server->attach(server_owner);
  }

  std::unique_ptr<ShmChannel> end_of(os::Fd socket, bool is_server) {
    auto end = std::make_unique<ShmChannel>(reactor, std::move(socket),
                                            os::Mapping::map(memfd, layout.size).value(),
                                            ChannelTerms{.layout = layout, .is_server = is_server});
    EXPECT_TRUE(end->open());
    return end;
  }

  // The other end as a correct one.
  void with_client() {
    client = end_of(std::move(peer_socket), false);
    client->attach(client_owner);
  }

  static std::string text_of(const std::optional<std::span<const std::byte>>& message) {
    if (!message) return "(nothing)";
    return {reinterpret_cast<const char*>(message->data()), message->size()};
  }
  static std::string take(Channel& channel) {
    const std::string text = text_of(channel.look());
    if (text != "(nothing)") channel.pop();
    channel.flush();
    return text;
  }

  // A word of the region, as a peer who scribbles sees it.
  void scribble(std::uint64_t offset, std::uint64_t value) {
    std::memcpy(region.bytes().data() + offset, &value, sizeof value);
  }

  const ControlLayout layout =
      ControlLayout::make({.max_message = 64, .to_server_queue = 4, .to_client_queue = 4}).value();
  test::FakeReactor reactor;
  os::Fd memfd = os::make_sealed_memfd("test", layout.size).value();
  os::Mapping region = os::Mapping::map(memfd, layout.size).value();
  os::Fd peer_socket;
  FakeChannelOwner server_owner;
  FakeChannelOwner client_owner;
  std::unique_ptr<ShmChannel> server;
  std::unique_ptr<ShmChannel> client;
};

TEST_F(ChannelTest, MessagesGoBothWaysInOrder) {
  with_client();
  ASSERT_TRUE(client->send(bytes("one")));
  ASSERT_TRUE(client->send({}));
  ASSERT_TRUE(server->send(bytes("answer")));
  EXPECT_TRUE(server->has_message());
  EXPECT_EQ(text_of(server->look()), "one");
  EXPECT_EQ(take(*server), "one") << "looking again shows the same";
  EXPECT_EQ(take(*server), "");
  EXPECT_EQ(take(*server), "(nothing)");
  EXPECT_FALSE(server->has_message());
  EXPECT_EQ(take(*client), "answer");
}

TEST_F(ChannelTest, AFullQueueSaysAgainUntilThePeerTakes) {
  with_client();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(client->send(bytes("m")));
  EXPECT_EQ(client->send(bytes("m")).error().code, Errc::again);
  EXPECT_FALSE(client->has_room(1));
  EXPECT_EQ(take(*server), "m");
  EXPECT_TRUE(client->has_room(64));
  EXPECT_TRUE(client->send(bytes("m")));
}

TEST_F(ChannelTest, WhoLiesOnOneConnectionAfterAnotherIsNamedTenTimesAndThenCounted) {
  const test::LogLines log;
  for (int i = 0; i < 50; ++i) {
    auto [left, right] = os::pair().value();
    ShmChannel fooled(reactor, std::move(left), os::Mapping::map(memfd, layout.size).value(),
                      {.layout = layout, .is_server = true, .peer_uid = 1000, .peer_pid = 77});
    ASSERT_TRUE(fooled.open());
    ASSERT_TRUE(test::say_bytes(right, "nonsense"));
    fooled.on_readable();
    ASSERT_EQ(fooled.peer_state(), PeerState::kLost);
  }
  ASSERT_EQ(log.lines.size(), Ration::kLines);
  EXPECT_EQ(log.lines[0],
            "the peer uid 1000 pid 77 wrote nonsense into its socket; its connection is closed");
}

TEST_F(ChannelTest, APeerIsLostWhenTooMuchThatItsUserHasSentDoesNotClose) {
  constexpr std::uint32_t kUser = 1000;
  auto [left, right] = os::pair().value();
  ShmChannel end(reactor, std::move(left), os::Mapping::map(memfd, layout.size).value(),
                 {.layout = layout, .is_server = true, .peer_uid = kUser});
  ASSERT_TRUE(end.open());
  ASSERT_TRUE(test::say_packet(right, wire::Doorbell{}));
  const test::Unclosed unclosed(kUser);
  end.on_readable();
  EXPECT_EQ(end.peer_state(), PeerState::kLost);
  EXPECT_EQ(server->peer_state(), PeerState::kOpen);
}

TEST_F(ChannelTest, OnlyAPeerThatSleepsIsRungAndOnlyOnce) {
  with_client();
  ASSERT_TRUE(client->send(bytes("awake")));
  EXPECT_EQ(client->wakes_sent(), 0u);
  EXPECT_FALSE(server->arm(true, false)) << "guarded: no barrier is owed";
  EXPECT_TRUE(server->has_message()) << "the look behind arm() finds what came before";
  take(*server);
  ASSERT_TRUE(client->send(bytes("asleep")));
  ASSERT_TRUE(client->send(bytes("asleep still")));
  EXPECT_EQ(client->wakes_sent(), 1u);
  EXPECT_TRUE(reactor.turn());
  EXPECT_EQ(server_owner.wakes, 1);
  EXPECT_EQ(server->wakes_received(), 1u);
  server->disarm();
  take(*server);
  take(*server);
  ASSERT_TRUE(client->send(bytes("awake again")));
  EXPECT_FALSE(reactor.turn());
}

TEST_F(ChannelTest, APeerThatWaitsForItsWordIsRungByThatAndOnlyOnce) {
  with_client();
  EXPECT_FALSE(server->arm(true, false));
  const WakeWord word = server->ask_for_word().value();
  EXPECT_EQ(*word.word, word.value);
  ASSERT_TRUE(client->send(bytes("asleep")));
  const std::uint32_t raised = *word.word;
  EXPECT_NE(raised, word.value);
  ASSERT_TRUE(client->send(bytes("asleep still")));
  EXPECT_EQ(*word.word, raised);
  EXPECT_EQ(client->wakes_sent(), 1u);
  EXPECT_FALSE(reactor.turn()) << "its socket has nothing";
  server->disarm();
  EXPECT_EQ(take(*server), "asleep");
}

TEST_F(ChannelTest, ASenderThatWaitsForRoomIsRungWhenThereIsSome) {
  with_client();
  while (client->send(bytes("m"))) {
  }
  std::ignore = client->arm(false, true);
  EXPECT_FALSE(client->has_room(1));
  EXPECT_EQ(take(*server), "m");
  EXPECT_TRUE(reactor.turn());
  EXPECT_EQ(client_owner.wakes, 1);
}

TEST_F(ChannelTest, AnOrderlyEndIsToldApartFromALoss) {
  with_client();
  client->close(true);
  while (reactor.turn()) {
  }
  EXPECT_EQ(server->peer_state(), PeerState::kOrderly);
  EXPECT_EQ(server_owner.ends, 1);
}

TEST_F(ChannelTest, ACloseThatIsNotOrderlyIsALoss) {
  with_client();
  client.reset();
  while (reactor.turn()) {
  }
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
  EXPECT_EQ(server_owner.ends, 1);
}

TEST_F(ChannelTest, WhatWasSentBeforeTheEndIsStillRead) {
  with_client();
  ASSERT_TRUE(client->send(bytes("last words")));
  client.reset();
  while (reactor.turn()) {
  }
  EXPECT_EQ(take(*server), "last words");
  EXPECT_EQ(server->send(bytes("too late")).error().code, Errc::connection_reset);
}

TEST_F(ChannelTest, AGoodbyeIsHeardBehindDoorbellsThatNobodyHadRead) {
  with_client();
  std::ignore = server->arm(true, false);
  ASSERT_TRUE(client->send(bytes("m")));
  ASSERT_TRUE(server->send(bytes("unread by the client")));
  client->close(true);
  while (reactor.turn()) {
  }
  EXPECT_EQ(server->peer_state(), PeerState::kOrderly);
}

TEST_F(ChannelTest, WhatIsNeitherDoorbellNorGoodbyeEndsTheConnectionOnce) {
  const std::vector<std::function<Status(const os::Fd&)>> lies{
      [](const os::Fd& s) { return test::say_bytes(s, "garbage"); },
      [](const os::Fd& s) { return test::say_bytes(s, ""); },
      [](const os::Fd& s) { return test::say_bytes(s, std::string(5000, 'x')); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Refusal{Errc::full, ""}); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Doorbell{}, std::array{s.get()}); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Goodbye{.orderly = false}); },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    auto [left, right] = os::pair().value();
    auto victim = end_of(std::move(left), true);
    FakeChannelOwner owner;
    victim->attach(owner);
    ASSERT_TRUE(lies[i](right));
    ASSERT_TRUE(lies[i](right));
    while (reactor.turn()) {
    }
    EXPECT_EQ(victim->peer_state(), PeerState::kLost) << i;
    EXPECT_EQ(owner.ends, 1) << i;
  }
}

// No descriptor can be had: the smallest free number is the limit.
struct NoDescriptorLeft {
  NoDescriptorLeft() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(os::duplicate(0).value().get());
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptorLeft() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0); }
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

  rlimit before{};
};

// Another peer may have them all.
TEST_F(ChannelTest, AConsumerThatThereIsNoDescriptorForIsNoLieOfItsPeer) {
  ASSERT_TRUE(server->fast_path());
  // UBSan needs a pipe to look at an object of a type that it has not met yet.
  ASSERT_TRUE(test::say_packet(peer_socket, wire::Doorbell{}));
  ASSERT_TRUE(reactor.turn());
  constexpr std::uint32_t kDepth = 4;
  const os::Fd posted =
      os::make_sealed_memfd("posted", comch::shm::PostedLayout::make(kDepth).value().size).value();
  auto [line, lines_other_end] = os::pair().value();
  const wire::Consumer consumer{.id = 1, .depth = kDepth, .way = wire::Way::kView};
  const std::array fds{posted.get(), lines_other_end.get()};
  ASSERT_TRUE(test::say_packet(peer_socket, wire::FastPacket(consumer), fds));
  lines_other_end.reset();
  {
    const NoDescriptorLeft scope;
    while (reactor.turn()) continue;
  }
  EXPECT_EQ(server->peer_state(), PeerState::kOpen);
  EXPECT_EQ(server_owner.ends, 0);
  EXPECT_TRUE(test::hear(line).raw.end) << "by which its owner knows that it cannot be reached";
}

// Its peer would sleep for ever.
TEST_F(ChannelTest, ADoorbellThatCannotBeRungEndsTheConnection) {
  with_client();
  ASSERT_FALSE(client->arm(true, false));
  {
    const test::FailingSends all(ENOBUFS);
    ASSERT_TRUE(server->send(bytes("wake up")));
  }
  while (reactor.turn()) continue;
  EXPECT_EQ(client->peer_state(), PeerState::kLost);
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
  EXPECT_EQ(take(*client), "wake up");
}

TEST_F(ChannelTest, NewsThatCanNeverBeToldEndTheConnection) {
  const auto hub = std::static_pointer_cast<Hub>(server->fast_path().value());
  hub->withdraw(2);
  {
    const test::FailingSends all(EINVAL);
    reactor.turn();
  }
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
  EXPECT_EQ(server_owner.ends, 1);
}

TEST_F(ChannelTest, OneTurnReadsABoundedNumberOfDoorbells) {
  while (test::say_packet(peer_socket, wire::Doorbell{})) {
  }
  reactor.turn();
  EXPECT_GE(server->wakes_received(), 1u);
  EXPECT_LE(server->wakes_received(), 4u);
  EXPECT_EQ(server_owner.wakes, 1);
}

TEST_F(ChannelTest, RingingAPeerThatDoesNotReadNeverBlocks) {
  for (int i = 0; i < 2000; ++i) {
    scribble(layout.to_client.shared + 64, static_cast<std::uint64_t>(i) * 4 + 1);
    std::ignore = server->send(bytes("m"));
    scribble(layout.to_client.shared, static_cast<std::uint64_t>(i + 1) * 16);
    scribble(layout.to_client.shared + 8, static_cast<std::uint64_t>(i) + 1);
  }
  EXPECT_EQ(server->peer_state(), PeerState::kOpen);
  EXPECT_EQ(server->wakes_sent(), 2000u);
}

TEST_F(ChannelTest, ARecordThatIsNoneLosesThePeerButNotWhatCameBefore) {
  with_client();
  ASSERT_TRUE(client->send(bytes("honest")));
  scribble(layout.to_server.data + 16, ~std::uint64_t{0});
  EXPECT_EQ(take(*server), "honest");
  EXPECT_EQ(take(*server), "(nothing)");
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
  EXPECT_EQ(server_owner.ends, 1);
  EXPECT_FALSE(server->has_message());
}

TEST_F(ChannelTest, APeerThatReadsWhatWasNeverSentIsLost) {
  while (server->send(bytes("m"))) {
  }
  scribble(layout.to_client.shared, std::uint64_t{1} << 40U);
  EXPECT_EQ(server->send(bytes("m")).error().code, Errc::connection_reset);
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
  EXPECT_EQ(server_owner.ends, 1);
}

TEST_F(ChannelTest, NonsenseBehindAGoodbyeIsALossAfterAll) {
  with_client();
  ASSERT_TRUE(client->send(bytes("honest")));
  scribble(layout.to_server.data + 16, ~std::uint64_t{0});
  client->close(true);
  while (reactor.turn()) {
  }
  EXPECT_EQ(server->peer_state(), PeerState::kOrderly);
  EXPECT_EQ(take(*server), "honest");
  EXPECT_EQ(take(*server), "(nothing)");
  EXPECT_EQ(server->peer_state(), PeerState::kLost);
}

}  // namespace
}  // namespace comch::transport::shm
