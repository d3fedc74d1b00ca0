// Batch: which messages go into a lane together, and what ends a batch.
#include "transport/shm/batch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "os/memory.h"
#include "transport/shm/producer_port.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/peer_consumer.h"

namespace comch::transport::shm {
namespace {

using comch::shm::LaneKind;
using comch::shm::LaneRecord;
using comch::shm::Look;
using test::PeerConsumer;

constexpr std::uint32_t kId = 2;

struct BatchTest : testing::Test {
  using Lengths = std::vector<std::size_t>;

  std::unique_ptr<ProducerPort> open_port() {
    return ProducerPort::open(reactor, hub, {.staging = 0, .cooperative = 0, .handles = 0}, owner)
        .value();
  }
  // Of messages that are so long; 0: one that has more to it.
  Batch::Put put(OutLane& lane, const Lengths& lengths) {
    const Batch::Put done = lane.put_small(
        lengths.size(), [&](std::size_t n) { return std::span(bytes).first(lengths.at(n)); });
    lane.publish();
    return done;
  }
  // What the consumer has to read.
  static std::vector<LaneRecord> read(PeerConsumer& peer) {
    std::vector<LaneRecord> records;
    for (LaneRecord record; peer.reader->look(record) == Look::kMessage;) {
      peer.reader->pop(record);
      records.push_back(record);
    }
    return records;
  }
  static Lengths lengths_of(const std::vector<LaneRecord>& records) {
    Lengths lengths;
    for (const LaneRecord& record : records) lengths.push_back(record.length);
    return lengths;
  }

  test::FakeReactor reactor;
  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
  test::PortOwner owner;
  std::unique_ptr<ProducerPort> port = open_port();
  std::vector<std::byte> bytes = std::vector<std::byte>(4096, std::byte{7});
};

TEST_F(BatchTest, MessagesThatAreAlikeAreARowFromTheSecondLapOn) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  for (const LaneKind kind : {LaneKind::kInline, LaneKind::kRow}) {
    peer.post_all();
    const Batch::Put done = put(lane, {3, 3, 3, 3});
    EXPECT_EQ(done.messages, PeerConsumer::kDepth);
    EXPECT_FALSE(done.full);
    const std::vector<LaneRecord> records = read(peer);
    EXPECT_EQ(lengths_of(records), (Lengths{3, 3, 3, 3}));
    for (const LaneRecord& record : records) EXPECT_EQ(record.kind, kind);
  }
}

TEST_F(BatchTest, ItEndsAheadOfAMessageThatHasMoreToIt) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  peer.post_all();
  const Batch::Put done = put(lane, {3, 4, 0, 3});
  EXPECT_EQ(done.messages, 2U);
  EXPECT_FALSE(done.full) << "put() knows what is the matter";
  EXPECT_EQ(lengths_of(read(peer)), (Lengths{3, 4}));
  EXPECT_EQ(lane.put(std::span(bytes).first(5), {}, nullptr), Outcome::kSent)
      << "the buffer of the one that ended it is there yet";
}

TEST_F(BatchTest, ItEndsAheadOfAMessageThatIsLongerThanItsBuffer) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  for (const bool alike : {true, false}) {
    if (alike) {
      peer.post_all();  // Of 64 bytes each.
    } else {
      for (std::uint16_t n = 0; n < PeerConsumer::kDepth; ++n)
        peer.post(n, std::uint64_t{n} * 64, 64);
    }
    const Batch::Put done = put(lane, {64, 65, 64});
    EXPECT_EQ(done.messages, 1U);
    EXPECT_FALSE(done.full);
    EXPECT_EQ(lengths_of(read(peer)), (Lengths{64}));
    ASSERT_EQ(put(lane, {1, 1, 1}).messages, 3U);
    read(peer);
  }
}

TEST_F(BatchTest, ItIsFullWhereNothingIsPostedForTheNext) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  EXPECT_TRUE(put(lane, {1}).full);
  peer.post(0, 0, 64);
  peer.post(1, 64, 64);
  const Batch::Put done = put(lane, {1, 2, 3});
  EXPECT_EQ(done.messages, 2U);
  EXPECT_TRUE(done.full);
}

TEST_F(BatchTest, WhatHasNoRoomInItsSlotIsInItsBuffer) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  const os::Mapping memory = os::Mapping::map(peer.memory, PeerConsumer::kMap).value();
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  peer.post(0, 4096, 4096);
  peer.post(1, 8192, 4096);
  EXPECT_EQ(put(lane, {Batch::kInSlot + 1, Batch::kInSlot}).messages, 2U);
  const std::vector<LaneRecord> records = read(peer);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].kind, LaneKind::kDirect);
  EXPECT_EQ(records[1].kind, LaneKind::kInline);
  const auto first = memory.bytes().subspan(4096, Batch::kInSlot + 1);
  EXPECT_TRUE(std::ranges::all_of(first, [](std::byte byte) { return byte == std::byte{7}; }));
}

TEST_F(BatchTest, OneProducerOfSeveralPutsWhatItTakesAndGivesBackTheRest) {
  PeerConsumer peer(*hub, kId, wire::Way::kMapped);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  peer.post_all();
  EXPECT_EQ(put(lane, {3}).messages, 1U) << "alone";
  const std::unique_ptr<ProducerPort> other = open_port();
  OutLane& beside = *other->lane(kId).value();
  const Batch::Put done = put(lane, {3, 0});
  EXPECT_EQ(done.messages, 1U);
  EXPECT_FALSE(done.full);
  EXPECT_FALSE(lane.return_ahead()) << "nobody sleeps";
  EXPECT_EQ(put(beside, {5, 5}).messages, 2U) << "no posted buffer is lost";
  EXPECT_TRUE(put(beside, {5}).full);
  EXPECT_EQ(lengths_of(read(peer)), (Lengths{3, 3}));
}

TEST_F(BatchTest, ToOneWhoLooksAtThemTheyNeedASlotAlone) {
  PeerConsumer peer(*hub, kId, wire::Way::kView);
  OutLane& lane = *port->lane(kId).value();
  peer.open_lane();
  const Batch::Put done = put(lane, {3, 3, Batch::kInSlot, Batch::kInSlot + 1});
  EXPECT_EQ(done.messages, 3U);
  EXPECT_FALSE(done.full) << "the last one is too long";
  EXPECT_TRUE(put(lane, Lengths(PeerConsumer::kDepth, 1)).full) << "of its slots";
}

}  // namespace
}  // namespace comch::transport::shm
