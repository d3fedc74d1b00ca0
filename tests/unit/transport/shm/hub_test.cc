// Hub: consumers of one side made known to the other, and what a peer cannot claim of its own.
#include "transport/shm/hub.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "os/memfd.h"
#include "os/memory.h"
#include "os/packet.h"
#include "os/seq_socket.h"
#include "unit/transport/shm/failing_sends.h"
#include "unit/transport/shm/liar.h"

namespace comch::transport::shm {
namespace {

using comch::shm::PostedLayout;

constexpr std::uint32_t kDepth = 4;

wire::Consumer terms(std::uint32_t id) {
  return {.id = id, .depth = kDepth, .immediate_max = 8, .way = wire::Way::kStaged, .map_size = 64};
}

// What travels with a Consumer, and the end of its line that its owner keeps.
struct Belongings {
  os::Fd posted =
      os::make_sealed_memfd("comch-test", PostedLayout::make(kDepth).value().size).value();
  std::pair<os::Fd, os::Fd> line = os::pair().value();

  std::array<os::Fd, 3> fds() { return {std::move(posted), std::move(line.second), os::Fd()}; }
};

// What was sent through `socket`, or nothing.
std::optional<wire::FastPacket> heard(const os::Fd& socket) {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const Result<os::Packet> packet = os::receive(socket, buffer);
  if (!packet || packet->end) return std::nullopt;
  const auto said = wire::decode_fast(std::span(buffer).first(packet->size));
  return said ? std::optional(*said) : std::nullopt;
}

bool rung(const os::Fd& socket) {
  const test::Heard said = test::hear(socket);
  return said.packet && std::holds_alternative<wire::Doorbell>(*said.packet);
}

struct HubTest : testing::Test {
  // Everything that one hub has to say, taken by the other.
  std::vector<ConsumerNews> carry(Hub& from, Hub& to) {
    EXPECT_FALSE(from.flush(sockets.first).value());
    std::vector<ConsumerNews> news;
    for (;;) {
      std::array<std::byte, wire::kMaxPacket> buffer;
      Result<os::Packet> packet = os::receive(sockets.second, buffer);
      if (!packet) return news;
      const auto said = wire::decode_fast(std::span(buffer).first(packet->size)).value();
      const auto taken = to.take(said, std::span(packet->fds).first(packet->fd_count));
      EXPECT_TRUE(taken) << taken.error().what;
      if (taken && *taken) news.push_back(**taken);
    }
  }
  // What the peer says without a hub of its own.
  Result<std::optional<ConsumerNews>> say(const wire::FastPacket& packet, std::vector<os::Fd> fds) {
    return client->take(packet, fds);
  }
  Errc refusal(const wire::FastPacket& packet, std::vector<os::Fd> fds = {}) {
    const auto taken = say(packet, std::move(fds));
    return taken ? Errc::skipped : taken.error().code;
  }
  // A consumer of the peer; its end of the line comes back.
  os::Fd appear(std::uint32_t id) {
    Belongings with;
    std::vector<os::Fd> fds;
    fds.push_back(std::move(with.posted));
    fds.push_back(std::move(with.line.second));
    EXPECT_TRUE(say(terms(id), std::move(fds)));
    return std::move(with.line.first);
  }

  std::shared_ptr<Hub> server = Hub::create(true, ::getuid(), ::getpid()).value();
  std::shared_ptr<Hub> client = Hub::create(false, ::getuid(), ::getpid()).value();
  std::pair<os::Fd, os::Fd> sockets = os::pair().value();
};

TEST_F(HubTest, AConsumerIsKnownToTheOtherSideUntilItIsWithdrawn) {
  Belongings with;
  server->announce(terms(2), with.fds(), 2);
  EXPECT_TRUE(server->news().drain()) << "the connection's thread is woken";
  const auto news = carry(*server, *client);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_TRUE(news[0].id == 2 && news[0].appeared);
  EXPECT_EQ(client->remote_ids(), std::vector<std::uint32_t>{2});
  const auto consumer = client->find(2);
  ASSERT_NE(consumer, nullptr);
  EXPECT_EQ(consumer->terms, terms(2));
  EXPECT_EQ(consumer->pid, ::getpid());
  const auto answer = heard(with.line.first);
  ASSERT_TRUE(answer && std::holds_alternative<wire::Accepted>(*answer));

  server->withdraw(2);
  EXPECT_TRUE(server->news().drain());
  const auto end = carry(*server, *client);
  ASSERT_EQ(end.size(), 1U);
  EXPECT_TRUE(end[0].id == 2 && !end[0].appeared);
  EXPECT_EQ(client->find(2), nullptr);
  EXPECT_TRUE(consumer->gone());
}

// The kernel's moods: no memory, descriptors under way that count as ours, signals.
TEST_F(HubTest, WhatCannotBeSaidNowIsSaidLaterInOrder) {
  for (const int sys : {EAGAIN, ENOBUFS, ENOMEM, ETOOMANYREFS, EINTR}) {
    Belongings first, second;
    server->announce(terms(2), first.fds(), 2);
    server->announce(terms(4), second.fds(), 2);
    {
      const test::FailingSends none(sys);
      EXPECT_TRUE(server->flush(sockets.first).value()) << "something is left after " << sys;
    }
    EXPECT_EQ(carry(*server, *client).size(), 2U) << sys;
    server->withdraw(2);
    server->withdraw(4);
    EXPECT_EQ(carry(*server, *client).size(), 2U) << sys;
  }
}

TEST_F(HubTest, AConsumerThatEndsUnheardOfLeavesNothingBehind) {
  Belongings with;
  server->announce(terms(2), with.fds(), 2);
  {
    const test::FailingSends full(EAGAIN);
    EXPECT_TRUE(server->flush(sockets.first).value());
  }
  server->withdraw(2);
  EXPECT_TRUE(test::hear(with.line.first).raw.end) << "its descriptors stay in the outbox";
  EXPECT_FALSE(server->flush(sockets.first).value());
  EXPECT_FALSE(heard(sockets.second)) << "nobody has heard of what ends";
}

TEST_F(HubTest, WhatCanNeverBeSaidIsAnErrorOfTheConnection) {
  server->withdraw(2);
  const test::FailingSends all(EINVAL);
  EXPECT_EQ(server->flush(sockets.first).error().sys, EINVAL);
}

TEST_F(HubTest, WhoIsGoneNeedsNoLetters) {
  server->withdraw(2);
  const test::FailingSends all(EPIPE);
  EXPECT_FALSE(server->flush(sockets.first).value());
}

TEST_F(HubTest, AConsumerIsAnsweredAlsoWhenThatCannotBeSaidAtOnce) {
  os::Fd line;
  {
    const test::FailingSends none(ENOBUFS);
    line = appear(2);
  }
  EXPECT_NE(client->find(2), nullptr);
  EXPECT_FALSE(heard(line));
  EXPECT_TRUE(client->news().drain()) << "the connection's thread is woken";
  EXPECT_FALSE(client->flush(sockets.second).value());
  const auto answer = heard(line);
  EXPECT_TRUE(answer && std::holds_alternative<wire::Accepted>(*answer));
}

TEST_F(HubTest, TheEndOfAConsumerRingsEveryProducer) {
  const auto producer = os::pair().value();
  ASSERT_TRUE(client->enter(Hub::Kind::kProducer, producer.first, &producer.second));
  const os::Fd line = appear(2);
  EXPECT_FALSE(rung(producer.first));
  ASSERT_TRUE(say(wire::ConsumerEnd{2}, {}));
  EXPECT_TRUE(rung(producer.first));
  client->leave(producer.first);
}

TEST_F(HubTest, TheEndOfOneThatCouldNotBeReachedChangesNothing) {
  const auto taken = say(wire::ConsumerEnd{8}, {});
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
}

TEST_F(HubTest, WhatIsSaidToAConsumerGoesToItsLine) {
  const os::Fd line = appear(2);
  ASSERT_TRUE(heard(line));  // Accepted.
  client->say_later(client->find(2), wire::LaneEnd{7});
  EXPECT_FALSE(client->flush(sockets.first).value());
  EXPECT_EQ(heard(line), wire::FastPacket(wire::LaneEnd{7}));
  EXPECT_FALSE(heard(sockets.second));
}

TEST_F(HubTest, WhatDoesNotGoOutNowGoesOutLaterInOrderAndHoldsNobodyElseUp) {
  const os::Fd line = appear(2);
  ASSERT_TRUE(heard(line));
  std::uint32_t said = 0;
  while (client->find(2)->say(wire::LaneEnd{said}, {})) ++said;  // Until the line is full.
  ASSERT_GT(said, 0U);
  client->say_later(client->find(2), wire::LaneEnd{said});
  client->say_later(client->find(2), wire::LaneEnd{said + 1});
  client->withdraw(1);
  EXPECT_TRUE(client->flush(sockets.first).value()) << "something is left";
  EXPECT_EQ(heard(sockets.second), wire::FastPacket(wire::ConsumerEnd{1}));
  std::uint32_t expected = 0;
  for (;; ++expected) {
    const auto packet = heard(line);
    if (!packet) break;
    ASSERT_EQ(*packet, wire::FastPacket(wire::LaneEnd{expected}));
  }
  EXPECT_EQ(expected, said);
  EXPECT_FALSE(client->flush(sockets.first).value());
  EXPECT_EQ(heard(line), wire::FastPacket(wire::LaneEnd{said}));
  EXPECT_EQ(heard(line), wire::FastPacket(wire::LaneEnd{said + 1}));
}

TEST_F(HubTest, WhatWasToBeSaidToAConsumerEndsWithIt) {
  const os::Fd line = appear(2);
  while (client->find(2)->say(wire::LaneEnd{1}, {})) continue;  // Until the line is full.
  client->say_later(client->find(2), wire::LaneEnd{2});
  EXPECT_TRUE(client->flush(sockets.first).value());
  const std::weak_ptr<RemoteConsumer> consumer = client->find(2);
  ASSERT_TRUE(say(wire::ConsumerEnd{2}, {}));
  EXPECT_TRUE(consumer.expired()) << "what it has shown stays mapped";
  EXPECT_FALSE(client->flush(sockets.first).value());
}

TEST_F(HubTest, EachKindOfPortHasItsOwnLimit) {
  std::vector<std::pair<os::Fd, os::Fd>> ports(1025);  // The hub knows them by their place.
  for (std::size_t n = 0; n < 1024; ++n) {
    ASSERT_TRUE(client->enter(Hub::Kind::kConsumer, ports[n].first, nullptr));
  }
  EXPECT_EQ(client->enter(Hub::Kind::kConsumer, ports[1024].first, nullptr).error().code,
            Errc::full);
  EXPECT_TRUE(client->enter(Hub::Kind::kProducer, ports[1024].first, nullptr));
  EXPECT_EQ(client->ports(), 1025U);
  client->leave(ports[0].first);
  EXPECT_TRUE(client->enter(Hub::Kind::kConsumer, ports[0].first, nullptr));
  client->news().drain();
  for (const auto& port : ports) {
    EXPECT_FALSE(client->news().drain()) << "a port is left";
    client->leave(port.first);
  }
  EXPECT_TRUE(client->news().drain()) << "somebody may wait for the last one to end";
  EXPECT_EQ(client->ports(), 0U);
}

TEST_F(HubTest, ClosedItTellsEveryPortAndLetsNoneIn) {
  const auto port = os::pair().value();
  ASSERT_TRUE(client->enter(Hub::Kind::kConsumer, port.first, nullptr));
  const os::Fd line = appear(2);
  const auto consumer = client->find(2);
  client->withdraw(1);
  EXPECT_EQ(client->close(), std::vector<std::uint32_t>{2});
  EXPECT_TRUE(client->close().empty()) << "each is told of once";
  EXPECT_TRUE(consumer->gone());
  EXPECT_EQ(client->find(2), nullptr);
  EXPECT_TRUE(test::hear(port.first).raw.end);
  EXPECT_EQ(client->enter(Hub::Kind::kConsumer, port.first, nullptr).error().code,
            Errc::connection_reset);
  client->withdraw(3);
  EXPECT_FALSE(client->flush(sockets.first).value());
  EXPECT_FALSE(heard(sockets.second)) << "nothing is said any more";
}

// --- Lies --------------------------------------------------------------------------------

TEST_F(HubTest, RefusesWhatBelongsOnALine) {
  EXPECT_EQ(refusal(wire::Accepted{true}), Errc::connection_reset);
  EXPECT_EQ(refusal(wire::Lane{.producer = 1}), Errc::connection_reset);
  EXPECT_EQ(refusal(wire::LaneEnd{1}), Errc::connection_reset);
  EXPECT_EQ(refusal(wire::Map{.number = 0, .offset = 0, .size = 1}), Errc::connection_reset);
}

TEST_F(HubTest, RefusesDescriptorsThatAreTooManyOrTooFew) {
  const auto with = [&](std::size_t count, wire::Way way) {
    std::vector<os::Fd> fds;
    Belongings belongings;
    fds.push_back(std::move(belongings.posted));
    fds.push_back(std::move(belongings.line.second));
    while (fds.size() < count) fds.push_back(os::make_sealed_memfd("comch-test", 4096).value());
    fds.resize(count);
    wire::Consumer consumer = terms(2);
    consumer.way = way;
    return refusal(consumer, std::move(fds));
  };
  for (const std::size_t count : {0U, 1U, 3U}) {
    EXPECT_EQ(with(count, wire::Way::kStaged), Errc::connection_reset) << count;
    EXPECT_EQ(with(count, wire::Way::kCma), Errc::connection_reset) << count;
  }
  for (const std::size_t count : {0U, 1U, 2U, 4U}) {
    EXPECT_EQ(with(count, wire::Way::kMapped), Errc::connection_reset) << count;
  }
  std::vector<os::Fd> one;
  one.push_back(os::pair().value().first);
  EXPECT_EQ(refusal(wire::ConsumerEnd{2}, std::move(one)), Errc::connection_reset);
  EXPECT_TRUE(client->remote_ids().empty());
}

TEST_F(HubTest, RefusesASecondConsumerOfOneIdAndKeepsTheFirst) {
  const os::Fd line = appear(2);
  Belongings with;
  std::vector<os::Fd> fds;
  fds.push_back(std::move(with.posted));
  fds.push_back(std::move(with.line.second));
  EXPECT_EQ(refusal(terms(2), std::move(fds)), Errc::connection_reset);
  EXPECT_FALSE(client->find(2)->gone());
}

// Posted buffers in memory that is not what the terms say.
TEST_F(HubTest, RefusesAPostedRingOfAnotherSizeOrOneThatCanShrink) {
  const auto with = [&](os::Fd posted) {
    std::vector<os::Fd> fds;
    fds.push_back(std::move(posted));
    fds.push_back(os::pair().value().first);
    return refusal(terms(2), std::move(fds));
  };
  const std::uint64_t size = PostedLayout::make(kDepth).value().size;
  EXPECT_EQ(with(os::make_sealed_memfd("comch-test", size + 4096).value()), Errc::connection_reset);
  EXPECT_EQ(with(os::make_sealed_memfd("comch-test", size - 1).value()), Errc::connection_reset);
  EXPECT_EQ(with(os::make_memory("comch-test", size, os::Pages::kOrdinary).value()),
            Errc::connection_reset)
      << "it is not sealed";
  EXPECT_EQ(with(os::pair().value().first), Errc::connection_reset) << "a socket";
}

TEST_F(HubTest, RefusesAMapThatIsLargerThanItsMemory) {
  const auto with = [&](std::uint64_t offset, std::uint64_t size, os::Fd memory) {
    Belongings belongings;
    std::vector<os::Fd> fds;
    fds.push_back(std::move(belongings.posted));
    fds.push_back(std::move(belongings.line.second));
    fds.push_back(std::move(memory));
    wire::Consumer consumer = terms(2);
    consumer.way = wire::Way::kMapped;
    consumer.map_offset = offset;
    consumer.map_size = size;
    return refusal(consumer, std::move(fds));
  };
  const auto sealed = [] { return os::make_sealed_memfd("comch-test", 8192).value(); };
  EXPECT_EQ(with(0, 8193, sealed()), Errc::connection_reset);
  EXPECT_EQ(with(4096, 4097, sealed()), Errc::connection_reset);
  EXPECT_EQ(with(12288, 1, sealed()), Errc::connection_reset);
  EXPECT_EQ(with(0, 8192, os::make_memory("comch-test", 8192, os::Pages::kOrdinary).value()),
            Errc::connection_reset)
      << "it is not sealed";
  EXPECT_EQ(with(4096, 4096, sealed()), Errc::skipped) << "this one fits";
}

// Memory that nobody has touched costs its maker nothing, and this process the addresses that
// everything else needs, the allocator first.
TEST_F(HubTest, APeerCannotTakeAllAddressesByTheMemoryItShows) {
  ASSERT_TRUE(test::all_is_unmapped());  // Of other tests; TSan has but six terabytes.
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40U;
  const auto show = [&](std::uint32_t id) {
    Belongings with;
    wire::Consumer mapped = terms(id);
    mapped.way = wire::Way::kMapped;
    mapped.map_size = kMuch;
    std::vector<os::Fd> fds;
    fds.push_back(std::move(with.posted));
    fds.push_back(std::move(with.line.second));
    fds.push_back(os::make_sealed_memfd("comch-test", kMuch).value());
    const auto taken = say(mapped, std::move(fds));
    return taken && *taken;
  };
  std::uint32_t shown = 0;
  while (shown < 200 && show(2 * shown + 2)) ++shown;
  EXPECT_EQ(shown * kMuch, Allowance::kAddresses.of_a_peer);
  ASSERT_TRUE(say(wire::ConsumerEnd{2}, {}));
  ASSERT_TRUE(test::all_is_unmapped());
  EXPECT_TRUE(show(1000)) << "what has gone is free again";
}

// Each has two mappings here: its posted ring, and the seats at its desk.
TEST_F(HubTest, ConsumersOfOnePeerTakeNoMoreThanItsShareOfTheMappings) {
  const std::uint64_t most = Allowance::mappings().of_a_peer;
  const auto others = client->allowances().mappings.take(most - 4);
  ASSERT_TRUE(others);
  const os::Fd first = appear(2), second = appear(4), third = appear(6);
  EXPECT_NE(client->find(4), nullptr);
  EXPECT_EQ(client->find(6), nullptr) << "and that costs the peer nothing else";
  ASSERT_TRUE(say(wire::ConsumerEnd{2}, {}));
  const os::Fd fourth = appear(8);
  EXPECT_NE(client->find(8), nullptr) << "what has gone is free again";
}

}  // namespace
}  // namespace comch::transport::shm
