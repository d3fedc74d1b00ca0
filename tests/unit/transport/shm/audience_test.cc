// Audience: a memory map that stops is forgotten by every consumer that it was shown to, and the
// end is said to each.
#include "transport/shm/audience.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "os/memfd.h"
#include "os/packet.h"
#include "os/seq_socket.h"
#include "transport/shm/hub.h"

namespace comch::transport::shm {
namespace {

constexpr std::uint32_t kDepth = 4;

// A consumer of the other side: the end of its line.
struct Peer {
  Peer(Hub& hub, std::uint32_t id) {
    auto pair = os::pair().value();
    line = std::move(pair.first);
    const std::uint64_t size = comch::shm::PostedLayout::make(kDepth).value().size;
    std::array<os::Fd, 2> fds{os::make_sealed_memfd("comch-test", size).value(),
                              std::move(pair.second)};
    EXPECT_TRUE(hub.take(wire::Consumer{.id = id, .depth = kDepth, .map_size = 64}, fds));
    std::ignore = next();  // Accepted.
  }
  // What was said on the line, or nothing.
  std::optional<wire::FastPacket> next() const {
    std::array<std::byte, wire::kMaxPacket> buffer;
    const Result<os::Packet> packet = os::receive(line, buffer);
    if (!packet || packet->end) return std::nullopt;
    const auto said = wire::decode_fast(std::span(buffer).first(packet->size));
    return said ? std::optional(*said) : std::nullopt;
  }
  os::Fd line;
};

struct AudienceTest : testing::Test {
  // A map of this process, and the number that the consumer knows it by.
  struct OwnMap {
    SharedMemory shared() {
      return {.life = &*life, .fd = &memory, .offset = 0, .bytes = mapping.bytes()};
    }
    os::Fd memory = os::make_sealed_memfd("comch-test", kPage).value();
    os::Mapping mapping = os::Mapping::map(memory, kPage).value();
    std::optional<MapLife> life{std::in_place, mapping.bytes()};
  };
  static constexpr std::uint64_t kPage = 4096;

  static void expect_said(Peer& peer, const wire::FastPacket& expected) {
    const auto said = peer.next();
    ASSERT_TRUE(said);
    EXPECT_EQ(*said, expected);
  }

  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
};

TEST_F(AudienceTest, OneThatStopsIsForgottenAndItsNumberNotUsedAgain) {
  Peer peer(*hub, 2);
  Peer other(*hub, 4);
  OwnMap first, second;
  RemoteConsumer& to = *hub->find(2);
  EXPECT_EQ(to.number_of(first.shared()).value(), 0U);
  EXPECT_EQ(to.number_of(first.shared()).value(), 0U) << "said once";
  EXPECT_EQ(hub->find(4)->number_of(first.shared()).value(), 0U);
  EXPECT_EQ(to.number_of(second.shared()).value(), 1U);
  for (const std::uint32_t number : {0U, 1U}) {
    expect_said(peer, wire::Map{.number = number, .offset = 0, .size = kPage});
  }
  first.life.reset();
  expect_said(peer, wire::MapEnd{0});
  EXPECT_FALSE(peer.next());
  std::ignore = other.next();
  expect_said(other, wire::MapEnd{0});
  first.life.emplace(first.mapping.bytes());
  EXPECT_EQ(to.number_of(first.shared()).value(), 2U);
}

TEST_F(AudienceTest, TheOneThatWasAskedForLastIsKnownUntilItStops) {
  Peer peer(*hub, 2);
  OwnMap first, second;
  RemoteConsumer& to = *hub->find(2);
  LastShown last;
  for (int n = 0; n < 2; ++n) EXPECT_EQ(to.number_of(first.shared(), last).value(), 0U);
  EXPECT_EQ(last.id, first.life->id());
  for (int n = 0; n < 2; ++n) EXPECT_EQ(to.number_of(second.shared(), last).value(), 1U);
  EXPECT_EQ(to.number_of(first.shared(), last).value(), 0U);
  for (const std::uint32_t number : {0U, 1U}) {
    expect_said(peer, wire::Map{.number = number, .offset = 0, .size = kPage});
  }
  first.life.reset();
  expect_said(peer, wire::MapEnd{0});
  first.life.emplace(first.mapping.bytes());
  EXPECT_EQ(to.number_of(first.shared(), last).value(), 2U) << "it is the same memory, anew";
  expect_said(peer, wire::Map{.number = 2, .offset = 0, .size = kPage});
}

TEST_F(AudienceTest, AsManyAsThereMayBeAreThoseOfTheMoment) {
  Peer peer(*hub, 2);
  RemoteConsumer& to = *hub->find(2);
  std::vector<OwnMap> maps(257);
  for (std::size_t n = 0; n < 256; ++n) {
    ASSERT_EQ(to.number_of(maps[n].shared()).value(), n);
    ASSERT_TRUE(peer.next());
  }
  EXPECT_EQ(to.number_of(maps[256].shared()).error().code, Errc::full);
  maps[7].life.reset();
  EXPECT_EQ(to.number_of(maps[256].shared()).value(), 256U);
}

TEST_F(AudienceTest, ItsEndIsSaidLaterWhenTheLineIsFull) {
  Peer peer(*hub, 2);
  OwnMap map;
  const auto to = hub->find(2);
  ASSERT_TRUE(to->number_of(map.shared()));
  std::ignore = peer.next();
  std::size_t others = 0;
  while (to->say(wire::LaneEnd{9}, {})) ++others;
  map.life.reset();
  for (; others != 0; --others) expect_said(peer, wire::LaneEnd{9});
  EXPECT_FALSE(peer.next());
  const auto socket = os::pair().value();
  EXPECT_FALSE(hub->flush(socket.first).value());
  expect_said(peer, wire::MapEnd{0});
}

TEST_F(AudienceTest, AConsumerThatIsGoneIsNotTold) {
  OwnMap map;
  {
    Peer peer(*hub, 2);
    ASSERT_TRUE(hub->find(2)->number_of(map.shared()));
    ASSERT_TRUE(hub->take(wire::ConsumerEnd{2}, {}));
  }
  map.life.reset();
  EXPECT_FALSE(hub->news().drain());
}

// Of an older version.
TEST_F(AudienceTest, WhoDoesNotKnowOfEndsIsToldOfNone) {
  const auto old = Hub::create(false, ::getuid(), ::getpid(), false).value();
  Peer peer(*old, 2);
  OwnMap map;
  ASSERT_TRUE(old->find(2)->number_of(map.shared()));
  ASSERT_TRUE(peer.next());
  map.life.reset();
  EXPECT_FALSE(peer.next());
}

}  // namespace
}  // namespace comch::transport::shm
