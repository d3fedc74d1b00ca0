// ShmConnector: the client's end of the handshake, against servers who lie at every step.
#include "transport/shm/connector.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/memfd.h"
#include "os/seq_socket.h"
#include "shm/layout.h"
#include "support/temp_dir.h"
#include "transport/shm/rendezvous.h"
#include "unit/os/rigged_syscalls.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/liar.h"
#include "unit/transport/shm/map_end_hearing.h"

namespace comch::transport::shm {
namespace {

constexpr const char* kFunction = "0000:b1:00.0";
constexpr const char* kName = "echo";
constexpr std::uint64_t kPatience_ns = 1'000'000'000;

struct FakeConnectorOwner final : ConnectorOwner {
  void on_channel(std::unique_ptr<Channel> c, const PeerIdentity& p) override {
    ++told;
    connector.reset();
    channel = std::move(c);
    peer = p;
  }
  void on_refused(const Error& e, std::string r) override {
    ++told;
    connector.reset();
    error = e;
    reason = std::move(r);
  }

  int told = 0;
  std::unique_ptr<ShmConnector> connector;
  std::unique_ptr<Channel> channel;
  PeerIdentity peer;
  std::optional<Error> error;
  std::string reason;
};

// Callers that the server has not accepted, as many as fit.
std::vector<os::Fd> fill_backlog() {
  std::vector<os::Fd> callers;
  while (Result<os::Fd> socket = call(kFunction, kName)) callers.push_back(std::move(*socket));
  return callers;
}

struct ConnectorTest : testing::Test {
  void begin() {
    owner.connector = std::make_unique<ShmConnector>(
        reactor,
        ConnectRequest{.server_name = kName,
                       .representor = kFunction,
                       .limits = {1024, 16},
                       .acting = std::nullopt,
                       .deadline_ns = reactor.now_ns() + kPatience_ns},
        owner);
    reactor.pass(0);
  }

  // Connects up to the point where the server has to answer.
  os::Fd answer_to_hello(const Berth& berth) {
    begin();
    os::Fd socket = os::accept(berth.socket()).value().value();
    const test::Heard heard = test::hear(socket);
    EXPECT_TRUE(heard.packet && std::holds_alternative<wire::Hello>(*heard.packet));
    return socket;
  }

  static comch::shm::ControlLayout layout() {
    return comch::shm::ControlLayout::make(
               {.max_message = 1024, .to_server_queue = 8, .to_client_queue = 16})
        .value();
  }
  static wire::Welcome welcome() {
    return {.version = wire::kNewestVersion,
            .recv_queue_size = 8,
            .membarrier = false,
            .connection_id = 0,
            .to_server_capacity = layout().to_server.capacity,
            .to_client_capacity = layout().to_client.capacity};
  }
  static os::Fd memory(std::uint64_t size) { return os::make_sealed_memfd("test", size).value(); }

  void expect_refused(Errc code, const char* reason) {
    while (reactor.turn()) {
    }
    EXPECT_EQ(owner.told, 1);
    ASSERT_TRUE(owner.error) << "the connection came about";
    EXPECT_EQ(owner.error->code, code) << owner.reason;
    EXPECT_NE(owner.reason.find(reason), std::string::npos) << owner.reason;
  }

  test::RuntimeDirectory runtime;
  test::FakeReactor reactor;
  FakeConnectorOwner owner;
};

TEST_F(ConnectorTest, AnHonestServersWelcomeMakesAChannel) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  const os::Fd memfd = memory(layout().size);
  ASSERT_TRUE(test::say_packet(socket, welcome(), std::array{memfd.get()}));
  reactor.turn();
  EXPECT_EQ(owner.told, 1);
  ASSERT_TRUE(owner.channel);
  EXPECT_EQ(owner.peer.pid, ::getpid());
  EXPECT_EQ(owner.channel->peer_state(), PeerState::kOpen);
}

TEST_F(ConnectorTest, AServerOfVersion2IsToldOfNoEndOfAMapAndOneOf3Is) {
  for (const std::uint16_t version : {std::uint16_t{2}, std::uint16_t{3}}) {
    owner = {};
    const Berth berth = Berth::take(kFunction, kName).value();
    const os::Fd socket = answer_to_hello(berth);
    wire::Welcome older = welcome();
    older.version = version;
    const os::Fd memfd = memory(layout().size);
    ASSERT_TRUE(test::say_packet(socket, older, std::array{memfd.get()}));
    reactor.turn();
    ASSERT_TRUE(owner.channel);
    EXPECT_EQ(test::hears_map_end(*owner.channel, 2), version == 3) << version;
  }
}

TEST_F(ConnectorTest, NoServerIsNotFound) {
  begin();
  expect_refused(Errc::not_found, "no server named 'echo'");
}

TEST_F(ConnectorTest, WithoutADescriptorItSaysSoAndNotThatThereIsNoServer) {
  const Berth berth = Berth::take(kFunction, kName).value();
  // Of the runtime directory, of the server's place in it, of the socket.
  for (const std::uint64_t nth : {1u, 2u, 3u}) {
    owner = {};
    const test::RiggedSyscalls rig({.nth = nth, .sys = EMFILE});
    begin();
    expect_refused(Errc::operating_system, "(EMFILE: Too many open files)");
    EXPECT_EQ(owner.reason.find(".cc:"), std::string::npos) << owner.reason;
  }
}

TEST_F(ConnectorTest, AServerThatDoesNotAnswerTimesOut) {
  const Berth berth = Berth::take(kFunction, kName).value();
  begin();
  reactor.pass(kPatience_ns - 1);
  EXPECT_EQ(owner.told, 0);
  reactor.pass(1);
  expect_refused(Errc::time_out, "did not answer in time");
}

TEST_F(ConnectorTest, AFullBacklogIsCalledAgainUntilTheServerTakesUsOrTheTimeIsOver) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const std::vector<os::Fd> before_us = fill_backlog();
  begin();
  EXPECT_EQ(owner.told, 0);
  reactor.pass(10'000'000);
  EXPECT_EQ(owner.told, 0);
  ASSERT_TRUE(os::accept(berth.socket()).value());
  reactor.pass(10'000'000);
  Result<std::optional<os::Fd>> last = os::accept(berth.socket());
  std::optional<os::Fd> ours;
  for (; last && *last; last = os::accept(berth.socket())) ours = std::move(*last);
  ASSERT_TRUE(ours);
  EXPECT_TRUE(test::hear(*ours).packet) << "the last in the queue is ours, and has said Hello";
  reactor.pass(kPatience_ns);
  expect_refused(Errc::time_out, "did not answer in time");
}

TEST_F(ConnectorTest, ABacklogThatStaysFullTimesOut) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const std::vector<os::Fd> before_us = fill_backlog();
  begin();
  for (int i = 0; i < 11; ++i) reactor.pass(kPatience_ns / 10);
  expect_refused(Errc::time_out, "does not take its callers");
}

TEST_F(ConnectorTest, AServerThatHangsUpIsAnAbortedConnection) {
  const Berth berth = Berth::take(kFunction, kName).value();
  {
    const os::Fd socket = answer_to_hello(berth);
  }
  expect_refused(Errc::connection_aborted, "hung up");
}

TEST_F(ConnectorTest, AServerThatGoesWithOurHelloUnreadIsAnAbortedConnection) {
  const Berth berth = Berth::take(kFunction, kName).value();
  begin();
  {
    const os::Fd socket = os::accept(berth.socket()).value().value();
  }
  expect_refused(Errc::connection_aborted, "hung up");
}

TEST_F(ConnectorTest, ARefusalIsPassedOnWithItsReasonMadeFitForATerminal) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  ASSERT_TRUE(test::say_packet(socket, wire::Refusal{Errc::full, "no\x1b[2J room"}));
  expect_refused(Errc::full, "no\\x1b[2J room");
}

TEST_F(ConnectorTest, ARefusalWithAStrangeCodeIsAnAbortedConnection) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  ASSERT_TRUE(test::say_packet(socket, wire::Refusal{Errc::in_progress, "so there"}));
  expect_refused(Errc::connection_aborted, "so there");
}

TEST_F(ConnectorTest, AnAnswerThatIsNoHandshakeIsAnAbortedConnection) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const std::vector<std::function<Status(const os::Fd&)>> lies{
      [](const os::Fd& s) { return test::say_bytes(s, "garbage"); },
      [](const os::Fd& s) { return test::say_bytes(s, ""); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Doorbell{}); },
      [](const os::Fd& s) { return test::say_packet(s, wire::Goodbye{}); },
      [](const os::Fd& s) { return test::say_packet(s, welcome()); },
      [](const os::Fd& s) {
        const os::Fd memfd = memory(layout().size);
        return test::say_packet(s, welcome(), std::array{memfd.get(), memfd.get()});
      },
      [](const os::Fd& s) {
        const os::Fd memfd = memory(layout().size);
        const int fd = memfd.get();
        return test::say_packet(s, welcome(), std::array{fd, fd, fd, fd});
      },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    SCOPED_TRACE(i);
    owner.told = 0;
    owner.error.reset();
    const os::Fd socket = answer_to_hello(berth);
    ASSERT_TRUE(lies[i](socket));
    expect_refused(Errc::connection_aborted, "not a handshake");
  }
}

TEST_F(ConnectorTest, AVersionThatWasNotOfferedIsRefused) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  wire::Welcome newer = welcome();
  newer.version = wire::kNewestVersion + 1;
  const os::Fd memfd = memory(layout().size);
  ASSERT_TRUE(test::say_packet(socket, newer, std::array{memfd.get()}));
  expect_refused(Errc::unsupported_version, "another version");
}

TEST_F(ConnectorTest, RingsOfAnotherSizeThanWeComputeAreRefused) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  wire::Welcome lie = welcome();
  lie.to_client_capacity *= 2;
  const os::Fd memfd = memory(layout().size);
  ASSERT_TRUE(test::say_packet(socket, lie, std::array{memfd.get()}));
  expect_refused(Errc::connection_aborted, "impossible ring sizes");
}

TEST_F(ConnectorTest, MemoryOfAnotherSizeIsRefused) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  const os::Fd memfd = memory(layout().size - 4096);
  ASSERT_TRUE(test::say_packet(socket, welcome(), std::array{memfd.get()}));
  expect_refused(Errc::connection_aborted, "memory of another size");
}

TEST_F(ConnectorTest, MemoryThatIsNotSealedIsRefused) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  const os::Fd memfd(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(memfd.get(), static_cast<off_t>(layout().size)), 0);
  ASSERT_TRUE(test::say_packet(socket, welcome(), std::array{memfd.get()}));
  expect_refused(Errc::connection_aborted, "could change its size");
}

TEST_F(ConnectorTest, ADescriptorThatIsNoMemoryIsRefused) {
  const Berth berth = Berth::take(kFunction, kName).value();
  const os::Fd socket = answer_to_hello(berth);
  ASSERT_TRUE(test::say_packet(socket, welcome(), std::array{socket.get()}));
  expect_refused(Errc::connection_aborted, "could change its size");
}

TEST_F(ConnectorTest, AConnectorMayGoAtAnyStep) {
  const Berth berth = Berth::take(kFunction, kName).value();
  {
    const os::Fd socket = answer_to_hello(berth);
    owner.connector.reset();
    EXPECT_TRUE(test::hear(socket).raw.end);
  }
  begin();
  owner.connector.reset();
  EXPECT_EQ(owner.told, 0);
}

}  // namespace
}  // namespace comch::transport::shm
