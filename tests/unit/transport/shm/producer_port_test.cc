// ProducerPort and its lanes: what a consumer of the other side may say, and that a lie costs it
// this producer's messages and nothing else.
#include "transport/shm/producer_port.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "os/seq_socket.h"
#include "shm/lane_reader.h"
#include "unit/os/unclosed.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/liar.h"
#include "unit/transport/shm/peer_consumer.h"
#include "unit/transport/shm/shown_memory.h"

namespace comch::transport::shm {
namespace {

using comch::shm::LaneKind;
using comch::shm::LaneRecord;
using comch::shm::Look;
using test::PeerConsumer;

constexpr std::uint64_t kMap = PeerConsumer::kMap;
constexpr std::uint32_t kHandles = 4;

struct ProducerPortTest : testing::Test {
  OutLane& lane(std::uint32_t id) { return *port->lane(id).value(); }

  test::FakeReactor reactor;
  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
  test::PortOwner owner;
  std::unique_ptr<ProducerPort> port =
      ProducerPort::open(reactor, hub, {.staging = kMap, .cooperative = 8192, .handles = kHandles},
                         owner)
          .value();
  std::vector<std::byte> data = std::vector<std::byte>(kMap, std::byte{7});
};

constexpr std::array kBytes{std::byte{1}, std::byte{2}, std::byte{3}};

TEST_F(ProducerPortTest, ALaneIsAnnouncedWithItsFirstUseAndEndsWithTheProducer) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  EXPECT_FALSE(peer.next());
  peer.post(0, 0, 64);
  ASSERT_EQ(lane(2).put(kBytes, {}, nullptr), Outcome::kSent);
  lane(2).publish();
  peer.open_lane();
  LaneRecord record;
  ASSERT_EQ(peer.reader->look(record), Look::kMessage);
  EXPECT_EQ(record.index, 0);
  EXPECT_EQ(record.length, 3U);
  EXPECT_FALSE(peer.next()) << "once";
  const std::uint32_t id = port->id();
  port.reset();
  EXPECT_EQ(peer.next(), wire::FastPacket(wire::LaneEnd{id}));
}

TEST_F(ProducerPortTest, ThereIsNoLaneToWhoIsNotThere) {
  EXPECT_EQ(port->lane(2).error().code, Errc::invalid_value);
  EXPECT_EQ(port->lane_if_any(2), nullptr);
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.line.reset();
  EXPECT_EQ(port->lane(2).error().code, Errc::connection_reset) << "nobody is behind the line";
}

TEST_F(ProducerPortTest, AConsumerThatIsGoneTakesNothing) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.post(0, 0, 64);
  OutLane& to = lane(2);
  ASSERT_TRUE(hub->take(wire::ConsumerEnd{2}, {}));
  EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kGone);
  EXPECT_FALSE(to.has_space());
  EXPECT_FALSE(to.step());
}

TEST_F(ProducerPortTest, AConsumerThatGoesWakesItAndItsLaneGoesUnlessItIsInUse) {
  PeerConsumer unused(*hub, 2, wire::Way::kMapped), lending(*hub, 4, wire::Way::kMapped),
      holding(*hub, 6, wire::Way::kMapped), sending(*hub, 8, wire::Way::kStaged),
      other(*hub, 10, wire::Way::kMapped);
  for (PeerConsumer* peer : {&lending, &holding}) peer->post(0, 0, 64);
  sending.post(0, 0, kMap);
  std::ignore = lane(2);
  std::uint32_t slot = 0;
  std::span<std::byte> room;
  ASSERT_EQ(lane(4).reserve(slot, room), Outcome::kSent);
  ASSERT_EQ(lane(6).hand_over(0, lane(6).free_handle().value(), {0, 64}, {}), Outcome::kSent);
  ASSERT_EQ(lane(8).put(data, {}, nullptr), Outcome::kUnderWay);
  std::ignore = lane(10);
  for (const std::uint32_t id : {2U, 4U, 6U, 8U}) ASSERT_TRUE(hub->take(wire::ConsumerEnd{id}, {}));
  while (reactor.turn()) continue;
  EXPECT_EQ(owner.wakes, 4);
  EXPECT_EQ(port->lane_if_any(2), nullptr);
  for (const std::uint32_t id : {4U, 6U, 8U, 10U}) EXPECT_NE(port->lane_if_any(id), nullptr) << id;
  room.front() = std::byte{7};
  EXPECT_FALSE(lane(4).abandon(slot));
  port->forget_gone();
  EXPECT_EQ(port->lane_if_any(4), nullptr);
}

TEST_F(ProducerPortTest, ALaneMoreIsTheEndOfThoseToConsumersThatAreGone) {
  PeerConsumer first(*hub, 2, wire::Way::kMapped), second(*hub, 4, wire::Way::kMapped);
  first.post(0, 0, 64);
  ASSERT_EQ(lane(2).put(kBytes, {}, nullptr), Outcome::kSent);
  ASSERT_TRUE(hub->take(wire::ConsumerEnd{2}, {}));
  EXPECT_NE(port->lane_if_any(2), nullptr);
  std::ignore = lane(4);
  EXPECT_EQ(port->lane_if_any(2), nullptr);
  EXPECT_EQ(port->counters().messages(), 1U);
}

TEST_F(ProducerPortTest, ItsSocketWakesItAndEndsWithTheConnection) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  std::ignore = lane(2);
  std::array<std::byte, wire::kMaxPacket> buffer;
  os::Packet packet = os::receive(peer.line, buffer).value();
  ASSERT_EQ(packet.fd_count, 2U);
  ASSERT_TRUE(test::say_packet(packet.fds[1], wire::Doorbell{}));
  ASSERT_TRUE(test::say_bytes(packet.fds[1], "whatever a peer writes there"));
  while (reactor.turn()) continue;
  EXPECT_EQ(owner.wakes, 2);
  EXPECT_FALSE(owner.lost);
  std::ignore = hub->close();
  while (reactor.turn()) continue;
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ProducerPortTest, ItIsLostWhenTooMuchThatItsPeersUserHasSentDoesNotClose) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  std::ignore = lane(2);
  std::array<std::byte, wire::kMaxPacket> buffer;
  const os::Packet packet = os::receive(peer.line, buffer).value();
  ASSERT_EQ(packet.fd_count, 2U);
  ASSERT_TRUE(test::say_packet(packet.fds[1], wire::Doorbell{}));
  const test::Unclosed unclosed(hub->peer_uid());
  while (reactor.turn()) continue;
  EXPECT_EQ(owner.lost, Errc::connection_reset);
  EXPECT_EQ(owner.wakes, 0);
}

// --- Lies of a consumer ------------------------------------------------------------------

struct WrongPost {
  const char* what;
  std::uint64_t offset;
  std::uint64_t capacity;
};
struct ProducerPortPostTest : ProducerPortTest, testing::WithParamInterface<WrongPost> {};

TEST_P(ProducerPortPostTest, BreaksTheConsumerForGoodAndNobodyElse) {
  // Of kCma the kernel writes; and every producer may have changed what is posted.
  for (const wire::Way way : {wire::Way::kMapped, wire::Way::kCma}) {
    SCOPED_TRACE(static_cast<int>(way));
    const auto address = way == wire::Way::kCma ? reinterpret_cast<std::uintptr_t>(data.data()) : 0;
    const std::uint32_t id = way == wire::Way::kCma ? 6 : 2;
    PeerConsumer liar(*hub, id, way, address), other(*hub, id + 1, way, address);
    liar.post(0, GetParam().offset, GetParam().capacity);
    OutLane& to = lane(id);
    EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kBroken);
    EXPECT_EQ(to.failure().code, Errc::connection_reset);
    liar.post(1, 0, 64);
    EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kBroken) << "for good";
    other.post(0, 0, 64);
    EXPECT_EQ(lane(id + 1).put(kBytes, {}, nullptr), Outcome::kSent);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lies, ProducerPortPostTest,
    testing::Values(WrongPost{"BehindTheMap", kMap, 1}, WrongPost{"AcrossItsEnd", kMap - 63, 64},
                    WrongPost{"WhoseSumWraps", ~std::uint64_t{0} - 7, 64},
                    WrongPost{"NoBufferWithRoom", ~std::uint64_t{0}, 1},
                    WrongPost{"LargerThanAny", 0, (std::uint64_t{1} << 40U) - 1}),
    [](const auto& tested) { return tested.param.what; });

TEST_F(ProducerPortTest, AHeadThatHasReadWhatWasNotSentBreaksTheLane) {
  PeerConsumer peer(*hub, 2, wire::Way::kStaged);
  peer.post(0, 0, kMap);
  peer.post(1, 0, kMap);
  OutLane& to = lane(2);
  peer.open_lane();
  ASSERT_EQ(to.put(data, {}, nullptr), Outcome::kUnderWay);
  peer.word(0) = 1000;  // The head.
  for (int n = 0; n < 4 && to.under_way(); ++n) {
    if (!to.step()) break;
  }
  EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kBroken);
  EXPECT_EQ(to.failure().code, Errc::connection_reset);
}

TEST_F(ProducerPortTest, AJobThatCountsWhatNobodyCopiedBreaksTheLane) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.post(0, 0, kMap);
  OutLane& to = lane(2);
  peer.open_lane();
  const test::ShownMemory memory(kMap);
  ASSERT_EQ(to.put(memory.bytes(), {}, &memory.source()), Outcome::kUnderWay);
  const std::uint64_t done = peer.lane_layout.slots + std::uint64_t{15} * 8;
  peer.word(done) = std::uint64_t{1000} << 32U | 1U;
  EXPECT_FALSE(to.step());
  EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kBroken);
}

TEST_F(ProducerPortTest, AMessageAheadOfOneThatIsBrokenHasArrived) {
  constexpr std::uint64_t kHalf = kMap / 2;
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.post(0, 0, kHalf);
  peer.post(1, kHalf, kHalf);
  OutLane& to = lane(2);
  peer.open_lane();
  const test::ShownMemory memory(kMap);
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(to.put(memory.bytes().first(kHalf), {}, &memory.source()), Outcome::kUnderWay);
  }
  const std::uint64_t done = peer.lane_layout.slots + comch::shm::kLaneSlot + std::uint64_t{15} * 8;
  peer.word(done) = std::uint64_t{1000} << 32U | 2U;
  EXPECT_EQ(to.step(), 1U);
  EXPECT_FALSE(to.step());
  EXPECT_EQ(to.failure().code, Errc::connection_reset);
}

TEST_F(ProducerPortTest, TheLastChunkOfASharedCopyWakesAConsumerThatSleeps) {
  constexpr std::uint64_t kLong = std::uint64_t{9} << 20U;  // More than one call copies.
  PeerConsumer peer(*hub, 2, wire::Way::kMapped, 0, kLong);
  peer.post(0, 0, kLong);
  OutLane& to = lane(2);
  peer.open_lane();
  const test::ShownMemory memory(kLong);
  ASSERT_EQ(to.put(memory.bytes(), {}, &memory.source()), Outcome::kUnderWay);
  const auto said = peer.next();
  ASSERT_TRUE(said && std::holds_alternative<wire::Map>(*said));
  comch::shm::BellSleeper<comch::shm::FastMachine> sleeper(
      comch::shm::posted_at(peer.posted.bytes().data()).data_bell);
  EXPECT_FALSE(sleeper.arm());
  ASSERT_EQ(to.step(), 1U);
  const test::Heard rung = test::hear(peer.line);
  EXPECT_TRUE(rung.packet && std::holds_alternative<wire::Doorbell>(*rung.packet));
}

TEST_F(ProducerPortTest, AReturnOfWhatWasNotLentBreaksTheLane) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.post(0, 0, 64);
  OutLane& to = lane(2);
  peer.open_lane();
  const std::uint32_t handle = to.free_handle().value();
  ASSERT_EQ(to.hand_over(0, handle, {0, 64}, {}), Outcome::kSent);
  to.publish();
  peer.word(peer.lane_layout.returns) = 1U | std::uint64_t{handle + 1} << 32U;
  EXPECT_FALSE(to.take_returned());
  EXPECT_FALSE(to.ready(true)) << "there is nothing to wake up for any more";
  EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kBroken);
  EXPECT_EQ(to.failure().code, Errc::connection_reset);
}

TEST_F(ProducerPortTest, AHandleComesBackOnceAndIsFreeToBeUsedAgain) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  peer.post(0, 0, 64);
  OutLane& to = lane(2);
  peer.open_lane();
  std::vector<std::uint32_t> handles;
  while (const auto handle = to.free_handle()) handles.push_back(*handle);
  EXPECT_EQ(handles.size(), std::size_t{kHandles});
  ASSERT_EQ(to.hand_over(0, handles[0], {0, 64}, {}), Outcome::kSent);
  comch::shm::ReturnsWriter<> returns(peer.at(peer.lane_layout.returns),
                                      peer.lane_layout.returns_slots);
  ASSERT_TRUE(returns.accept());
  returns.give_back(handles[0]);
  EXPECT_EQ(to.take_returned(), handles[0]);
  EXPECT_FALSE(to.take_returned());
  EXPECT_FALSE(to.free_handle()) << "not before it is released";
  to.release_handle(handles[0]);
  EXPECT_EQ(to.free_handle(), handles[0]);
}

// Its address is the consumer's to say, in its own process alone.
TEST_F(ProducerPortTest, AnAddressThatTheConsumerDoesNotHaveFailsItsMessage) {
  PeerConsumer peer(*hub, 2, wire::Way::kCma, 4096);
  peer.post(0, 0, kMap);
  OutLane& to = lane(2);
  ASSERT_EQ(to.put(data, {}, nullptr), Outcome::kUnderWay);
  EXPECT_FALSE(to.step());
  EXPECT_EQ(to.failure().code, Errc::invalid_value);
}

// A desk that is a producer's alone takes back only what was taken last.
TEST_F(ProducerPortTest, WhatALaneHoldsServesOthersWhenItEnds) {
  PeerConsumer peer(*hub, 2, wire::Way::kMapped);
  for (std::uint16_t n = 0; n < 3; ++n) peer.post(n, n * std::uint64_t{64}, 64);
  OutLane& to = lane(2);
  std::uint32_t first = 0, second = 0;
  std::span<std::byte> room;
  ASSERT_EQ(to.reserve(first, room), Outcome::kSent);
  ASSERT_EQ(to.reserve(second, room), Outcome::kSent);
  ASSERT_EQ(to.put(kBytes, {}, nullptr), Outcome::kSent);
  EXPECT_EQ(to.put(kBytes, {}, nullptr), Outcome::kNothingPosted);
  to.publish();
  port->drop(2);
  OutLane& again = lane(2);
  ASSERT_EQ(again.put(kBytes, {}, nullptr), Outcome::kSent);
  ASSERT_EQ(again.put(kBytes, {}, nullptr), Outcome::kSent);
  EXPECT_EQ(again.put(kBytes, {}, nullptr), Outcome::kNothingPosted);
  EXPECT_EQ(port->counters().messages(), 3U);
}

}  // namespace
}  // namespace comch::transport::shm
