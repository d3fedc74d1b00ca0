// ShmListener: the server's end of the handshake, against callers who lie at every step.
#include "transport/shm/listener.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ration.h"
#include "comch/log.h"
#include "os/memfd.h"
#include "os/slow_close.h"
#include "shm/layout.h"
#include "support/deadline.h"
#include "support/encoded.h"
#include "support/log_lines.h"
#include "support/temp_dir.h"
#include "transport/shm/channel.h"
#include "transport/shm/rendezvous.h"
#include "unit/os/lingering.h"
#include "unit/os/rigged_syscalls.h"
#include "unit/os/unclosed.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/liar.h"
#include "unit/transport/shm/map_end_hearing.h"

namespace comch::transport::shm {
namespace {

constexpr const char* kFunction = "0000:b1:00.0";
constexpr const char* kName = "echo";

struct FakeListenerOwner final : ListenerOwner {
  std::optional<Refusal> admit_user(const PeerIdentity& peer,
                                    std::span<const std::uint32_t>) override {
    seen.push_back(peer);
    return user_refusal;
  }
  std::optional<Refusal> admit(const Request& request, std::span<const std::uint32_t>) override {
    requests.push_back(request);
    return refusal;
  }
  void on_channel(std::unique_ptr<Channel> channel, const Request&) override {
    channels.push_back(std::move(channel));
    then();
  }

  std::vector<PeerIdentity> seen;
  std::vector<Request> requests;
  std::vector<std::unique_ptr<Channel>> channels;
  std::optional<Refusal> user_refusal;
  std::optional<Refusal> refusal;
  std::function<void()> then = [] {};
};

struct ListenerTest : testing::Test {
  static wire::Hello hello() {
    return {.max_message_size = 1024,
            .recv_queue_size = 16,
            .membarrier = false,
            .acting = std::nullopt,
            .representor = kFunction,
            .name = kName};
  }
  os::Fd caller() const { return call(kFunction, kName).value(); }
  void turn() {
    while (reactor.turn()) {
    }
  }

  test::RuntimeDirectory runtime;
  test::FakeReactor reactor;
  FakeListenerOwner owner;
  std::unique_ptr<ShmListener> listener =
      ShmListener::create(
          reactor, {.server_name = kName, .representor = kFunction, .limits = {1024, 8}}, owner)
          .value();
};

TEST_F(ListenerTest, AnHonestCallerIsWelcomedWithSealedMemoryOfTheSizeBothCompute) {
  const os::Fd socket = caller();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  turn();
  const test::Heard heard = test::hear(socket);
  ASSERT_TRUE(heard.packet);
  const auto welcome = std::get<wire::Welcome>(*heard.packet);
  EXPECT_EQ(welcome.version, wire::kNewestVersion);
  EXPECT_FALSE(welcome.stamped) << "nobody asked for it";
  EXPECT_EQ(welcome.recv_queue_size, 8u);
  ASSERT_EQ(heard.raw.fd_count, 1u);
  const auto layout = comch::shm::ControlLayout::make(
                          {.max_message = 1024, .to_server_queue = 8, .to_client_queue = 16})
                          .value();
  EXPECT_EQ(os::sealed_size(heard.raw.fds[0]), layout.size);
  EXPECT_EQ(owner.channels.size(), 1u);
}

TEST_F(ListenerTest, WhoTheCallerIsTheKernelSays) {
  const os::Fd socket = caller();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  turn();
  ASSERT_EQ(owner.requests.size(), 1u);
  const PeerIdentity& peer = owner.requests[0].peer;
  EXPECT_EQ(peer.uid, ::geteuid());
  EXPECT_EQ(peer.gid, ::getegid());
  EXPECT_EQ(peer.pid, ::getpid());
  EXPECT_EQ(peer.acting_uid, ::geteuid());
}

TEST_F(ListenerTest, ACallerWhoMayNotComeInIsRefusedBeforeItSaysAWord) {
  owner.user_refusal = {Errc::authentication, "not you"};
  const os::Fd socket = caller();
  turn();
  EXPECT_EQ(test::hear_refusal(socket), Errc::authentication);
  EXPECT_TRUE(test::hear(socket).raw.end);
  EXPECT_TRUE(owner.requests.empty());
}

TEST_F(ListenerTest, ARefusalIsHeardAlsoByACallerWhoSpokeFirst) {
  owner.user_refusal = {Errc::authentication, "not you"};
  const os::Fd socket = caller();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  turn();
  EXPECT_EQ(test::hear_refusal(socket), Errc::authentication);
}

TEST_F(ListenerTest, TheOwnersRefusalReachesTheCaller) {
  owner.refusal = {Errc::full, "no more clients"};
  const os::Fd socket = caller();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  turn();
  EXPECT_EQ(test::hear_refusal(socket), Errc::full);
  EXPECT_TRUE(owner.channels.empty());
}

TEST_F(ListenerTest, ARefusalWithALongReasonIsCutAndSent) {
  owner.refusal = {Errc::full, std::string(1000, 'r')};
  const os::Fd socket = caller();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  turn();
  EXPECT_EQ(test::hear_refusal(socket), Errc::full);
}

TEST_F(ListenerTest, WhatIsNoHelloIsRefused) {
  const std::vector<std::function<Status(const os::Fd&)>> lies{
      [](const os::Fd& s) { return test::say_bytes(s, "garbage"); },
      [](const os::Fd& s) { return test::say_bytes(s, ""); },
      [](const os::Fd& s) { return test::say_bytes(s, std::string(4096, 'x')); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Doorbell{}); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Goodbye{}); },
      [](const os::Fd& s) {
        const std::array fds{s.get()};
        return test::say_packet(s, hello(), fds);
      },
      [](const os::Fd& s) {
        const std::array fds{s.get(), s.get(), s.get(), s.get()};
        return test::say_packet(s, hello(), fds);
      },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    const os::Fd socket = caller();
    const Status said = lies[i](socket);
    if (!said && said.error().sys == EPERM) continue;  // The kernel keeps descriptors from us.
    ASSERT_TRUE(said) << i;
    turn();
    EXPECT_EQ(test::hear_refusal(socket), Errc::connection_aborted) << i;
    EXPECT_TRUE(test::hear(socket).raw.end) << i;
  }
  EXPECT_TRUE(owner.requests.empty());
}

// Somebody whom the access list does not name; what he leaves in the socket is ours to close.
TEST_F(ListenerTest, ACallerThatIsRefusedHoldsNobodyByWhatItSends) {
  os::Syscalls older = os::kKernel;
  older.setsockopt = [](int fd, int level, int option, const void* value, socklen_t size) {
    if (option != 83) return ::setsockopt(fd, level, option, value, size);
    errno = ENOPROTOOPT;  // As before Linux 6.16, to which SO_PASSRIGHTS means nothing.
    return -1;
  };
  const os::ScopedSyscalls scope(older);
  const auto open_to_all =
      ShmListener::create(
          reactor, {.server_name = "open", .representor = kFunction, .limits = {1024, 8}}, owner)
          .value();
  owner.user_refusal = Refusal{Errc::authentication, "no"};
  test::Lingering lingering;
  os::Fd socket = call(kFunction, "open").value();
  ASSERT_TRUE(os::send(socket, {}, std::array{lingering.socket.get()}));
  lingering.socket.reset();
  socket.reset();
  const auto begin = std::chrono::steady_clock::now();
  turn();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  lingering.let_go();
  EXPECT_TRUE(test::eventually([] { return os::slow_jobs() == 0; }));
}

TEST_F(ListenerTest, ACallerOfAnotherVersionIsToldSo) {
  {
    wire::Hello newer = hello();
    newer.min_version = wire::kNewestVersion + 1;
    newer.max_version = wire::kNewestVersion + 3;
    const os::Fd socket = caller();
    ASSERT_TRUE(test::say_packet(socket, newer));
    turn();
    EXPECT_EQ(test::hear_refusal(socket), Errc::unsupported_version);
  }
  std::vector<std::byte> later = wire::encoded(hello());
  later[4] = std::byte{2};  // The version of the packet's layout.
  const os::Fd socket = caller();
  ASSERT_TRUE(os::send(socket, later));
  turn();
  EXPECT_EQ(test::hear_refusal(socket), Errc::unsupported_version);
}

TEST_F(ListenerTest, WhoSpeaksVersion2IsToldOfNoEndOfAMapAndWhoSpeaks3Is) {
  for (const std::uint16_t version : {std::uint16_t{2}, std::uint16_t{3}}) {
    wire::Hello older = hello();
    older.max_version = version;
    const os::Fd socket = caller();
    ASSERT_TRUE(test::say_packet(socket, older));
    turn();
    const test::Heard heard = test::hear(socket);
    ASSERT_TRUE(heard.packet);
    EXPECT_EQ(std::get<wire::Welcome>(*heard.packet).version, version);
    EXPECT_EQ(test::hears_map_end(*owner.channels.back(), 1), version == 3) << version;
  }
}

TEST_F(ListenerTest, ACallerThatHangsUpLeavesNothingBehind) {
  {
    const os::Fd socket = caller();
  }
  turn();
  {
    const os::Fd socket = caller();
    ASSERT_TRUE(test::say_packet(socket, hello()));
  }
  turn();
  for (auto& channel : owner.channels) EXPECT_NE(channel->peer_state(), PeerState::kOpen);
}

TEST_F(ListenerTest, ACallerThatSaysNothingIsDroppedAfterFiveSeconds) {
  const os::Fd socket = caller();
  turn();
  reactor.pass(4'999'999'999);
  EXPECT_FALSE(test::hear(socket).raw.end);
  reactor.pass(1);
  EXPECT_TRUE(test::hear(socket).raw.end);
}

TEST_F(ListenerTest, OfManyWhoSayNothingTheOldestGoesFirst) {
  std::vector<os::Fd> silent;
  silent.reserve(64);
  for (int i = 0; i < 64; ++i) silent.push_back(caller());
  turn();
  EXPECT_FALSE(test::hear(silent.front()).raw.end);
  const os::Fd honest = caller();
  turn();
  EXPECT_TRUE(test::hear(silent[0]).raw.end);
  EXPECT_FALSE(test::hear(silent[1]).raw.end);
  ASSERT_TRUE(test::say_packet(honest, hello()));
  turn();
  EXPECT_EQ(owner.channels.size(), 1u);
}

TEST_F(ListenerTest, OneTurnAcceptsABoundedNumberOfCallers) {
  std::vector<os::Fd> callers;
  callers.reserve(40);
  for (int i = 0; i < 40; ++i) callers.push_back(caller());
  reactor.turn();
  EXPECT_EQ(owner.seen.size(), 16u);
  turn();
  EXPECT_EQ(owner.seen.size(), 40u);
}

TEST_F(ListenerTest, TheOwnerMayCloseTheListenerWhenItIsGivenAChannel) {
  const os::Fd first = caller();
  const os::Fd second = caller();
  ASSERT_TRUE(test::say_packet(first, hello()));
  ASSERT_TRUE(test::say_packet(second, hello()));
  owner.then = [&] { listener->close(); };
  turn();
  EXPECT_EQ(owner.channels.size(), 1u);
  EXPECT_TRUE(runtime.entries().empty());
}

TEST_F(ListenerTest, TheOwnerMayCloseTheListenerWhenALateCallerIsGivenAChannel) {
  const os::Fd late = caller();
  turn();
  ASSERT_TRUE(test::say_packet(late, hello()));
  owner.then = [&] { listener->close(); };
  turn();
  EXPECT_EQ(owner.channels.size(), 1u);
}

TEST_F(ListenerTest, ConnectionsAreCountedFromTheNumberAskedFor) {
  listener.reset();
  listener = ShmListener::create(reactor,
                                 {.server_name = kName,
                                  .representor = kFunction,
                                  .limits = {1024, 8},
                                  .first_connection_id = 7},
                                 owner)
                 .value();
  std::vector<os::Fd> sockets;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(test::say_packet(sockets.emplace_back(caller()), hello()));
    turn();
  }
  ASSERT_EQ(owner.requests.size(), 2u);
  EXPECT_EQ(owner.requests[0].connection_id, 7u);
  EXPECT_EQ(owner.requests[1].connection_id, 8u);
}

TEST_F(ListenerTest, WhoeverCannotBeServedForLackOfMemoryIsToldSo) {
  const os::Fd socket = caller();
  turn();
  ASSERT_TRUE(test::say_packet(socket, hello()));
  {
    test::RiggedSyscalls rig({.nth = 2, .sys = ENOMEM});  // Behind the receiving of Hello.
    reactor.turn();
    EXPECT_TRUE(rig.reached());
  }
  EXPECT_EQ(test::hear_refusal(socket), Errc::no_memory);
}

TEST_F(ListenerTest, WhoCallsAgainAndAgainDoesNotFillTheLog) {
  const test::LogLines log;
  owner.user_refusal = {Errc::authentication, "not you"};
  for (int i = 0; i < 100; ++i) {
    const os::Fd socket = caller();
    turn();
    ASSERT_EQ(test::hear_refusal(socket), Errc::authentication);
  }
  EXPECT_EQ(log.lines.size(), Ration::kLines);
  EXPECT_EQ(owner.seen.size(), 100u);
}

TEST_F(ListenerTest, AUserIsRefusedWhileTooMuchThatHeHasSentDoesNotClose) {
  const os::Fd socket = caller();
  {
    const test::Unclosed unclosed(::geteuid());
    turn();
    EXPECT_EQ(test::hear_refusal(socket), Errc::full);
    EXPECT_TRUE(owner.seen.empty());
  }
  const os::Fd later = caller();
  ASSERT_TRUE(test::say_packet(later, hello()));
  turn();
  EXPECT_EQ(owner.channels.size(), 1U);
}

TEST_F(ListenerTest, RunningOutOfDescriptorsCostsOneLineUntilItIsOver) {
  int lines = 0;
  set_log_sink([&](LogLevel level, std::string_view) { lines += level == LogLevel::kError; });
  const os::Fd socket = caller();
  for (int outage = 1; outage <= 2; ++outage) {
    {
      test::RiggedSyscalls rig({.nth = 1, .sys = EMFILE, .sticky = true});
      for (int i = 0; i < 10; ++i) listener->on_readable();
    }
    EXPECT_EQ(lines, outage);
    const os::Fd other = caller();
    listener->on_readable();
  }
  set_log_sink({});
  EXPECT_GE(owner.seen.size(), 1u);
}

}  // namespace
}  // namespace comch::transport::shm
