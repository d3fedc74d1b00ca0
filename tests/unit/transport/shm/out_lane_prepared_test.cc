// OutLane: messages by themselves, for which the last one has prepared everything, between whatever
// else is done with a lane: each arrives once, in order, and in a buffer that was posted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "os/memory.h"
#include "support/deadline.h"
#include "transport/shm/producer_port.h"
#include "unit/transport/shm/by_itself.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/lying_consumer.h"
#include "unit/transport/shm/peer_consumer.h"

namespace comch::transport::shm {
namespace {

using comch::shm::LaneKind;
using comch::shm::LaneRecord;
using comch::shm::Look;
using test::PeerConsumer;

struct OutLanePreparedTest : testing::Test {
  static constexpr std::uint32_t kId = 2;
  static constexpr std::size_t kRoom = 128;    // Bytes of a posted buffer: more than of a slot.
  static constexpr std::uint16_t kOther = 64;  // No slot's index.
  static constexpr std::uint32_t kHandles = 64;

  std::unique_ptr<ProducerPort> open_port() {
    return ProducerPort::open(reactor, hub, {.staging = 0, .cooperative = 0, .handles = kHandles},
                              owner)
        .value();
  }
  // One more buffer, where the run goes on, or where it does not.
  void post(bool is_alike = true) {
    {
      comch::shm::PostedWriter<>::Walk walk(*peer.writer);
      auto index = static_cast<std::uint16_t>(walk.next_slot());
      // The one with the slot's own index may still be lent.
      while (!is_alike || !posted.insert(index).second) {
        index = static_cast<std::uint16_t>(index + kOther);
        is_alike = true;
      }
      walk.post(index, std::uint64_t{index} * kRoom, kRoom);
    }
    peer.writer->publish();
  }
  // The next message: its number, and zeros behind it.
  std::span<const std::byte> message(std::size_t size) {
    std::ranges::fill(bytes, std::byte{0});
    std::memcpy(bytes.data(), &sent, sizeof sent);
    return std::span(bytes).first(size);
  }
  bool send_by_itself(std::size_t size) {
    const test::ByItself way = test::send_by_itself(*lane, message(size));
    prepared += way == test::ByItself::kSentAsPrepared ? 1 : 0;
    return way != test::ByItself::kNot;
  }
  void count(bool is_sent) { sent += is_sent ? 1 : 0; }

  // Until the last message was prepared, and so is the next one.
  void prepare() {
    peer.open_lane();
    for (int n = 0; n < 100 && (prepared == 0 || n % 8 == 0); ++n) {
      while (posted.size() < PeerConsumer::kDepth) post();
      count(send_by_itself(64));
      read();
    }
    ASSERT_NE(prepared, 0U);
  }
  // What has arrived is what comes next.
  void read() {
    for (LaneRecord record; peer.reader->look(record) == Look::kMessage;) {
      ASSERT_EQ(posted.erase(record.index), 1U) << "message " << received;
      if (record.kind != LaneKind::kHandOver) {
        ASSERT_EQ(number_of(record), received);
      }
      ++received;
      peer.reader->pop(record);
    }
  }
  std::uint64_t number_of(const LaneRecord& record) const {
    const std::byte* const at = record.kind == LaneKind::kDirect
                                    ? memory.bytes().data() + record.index * kRoom
                                    : peer.reader->data_of(record);
    std::uint64_t number = 0;
    std::memcpy(&number, at, sizeof number);
    return number;
  }

  test::FakeReactor reactor;
  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
  test::PortOwner owner;
  std::unique_ptr<ProducerPort> port = open_port();
  PeerConsumer peer{*hub, kId, wire::Way::kMapped};
  os::Mapping memory = os::Mapping::map(peer.memory, PeerConsumer::kMap).value();
  OutLane* lane = port->lane(kId).value();
  std::set<std::uint16_t> posted;
  std::array<std::byte, 2 * kRoom> bytes{};
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t prepared = 0;
};

TEST_F(OutLanePreparedTest, OneBehindTheOtherIsPreparedAsFarAsTheRunIsKnown) {
  peer.open_lane();
  for (int n = 0; n < 1000; ++n) {
    post();
    const bool is_sent = send_by_itself(n % 2 == 0 ? 64 : 8);
    ASSERT_TRUE(is_sent) << n;
    count(is_sent);
    read();
    while (posted.size() + 1 < PeerConsumer::kDepth) post();
  }
  EXPECT_EQ(received, 1000U);
  EXPECT_GT(prepared, 300U);
}

TEST_F(OutLanePreparedTest, WhateverElseIsDoneInBetweenTheyArriveInOrder) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE("COMCH_TEST_SEED=" + std::to_string(seed));
  test::Chance chance(seed);
  peer.open_lane();
  std::optional<std::uint32_t> loan;
  std::span<std::byte> room;
  const auto end_loan = [&] {
    if (chance.below(2) == 0) {
      std::ignore = lane->abandon(*loan);
    } else {
      std::ranges::copy(message(8), room.begin());
      count(lane->commit(*loan, 8, {}) == Outcome::kSent);
      lane->publish();
    }
    loan.reset();
  };
  for (int n = 0; n < 100'000 && !HasFatalFailure(); ++n) {
    while (posted.size() < PeerConsumer::kDepth && chance.below(4) != 0) post(chance.below(8) != 0);
    const std::size_t size = chance.below(3) == 0 ? 8 + chance.below(kRoom - 7) : 64;
    switch (chance.below(24)) {
      case 0:
        count(lane->put(message(size), {}, nullptr) == Outcome::kSent);
        lane->publish();
        break;
      case 1:
        EXPECT_NE(lane->put(message(2 * kRoom), {}, nullptr), Outcome::kSent) << "too long";
        break;
      case 2: {
        std::array<std::uint64_t, 3> numbers{sent, sent + 1, sent + 2};
        sent += lane->put_small(numbers.size(),
                                [&](std::size_t m) {
                                  return std::as_bytes(std::span(numbers).subspan(m, 1));
                                })
                    .messages;
        lane->publish();
        std::ignore = lane->return_ahead();
        break;
      }
      case 3:
        lane->take_ahead(2);
        if (chance.below(2) == 0) std::ignore = lane->return_ahead();
        break;
      case 4: {
        if (loan) {
          end_loan();
          break;
        }
        std::uint32_t slot = 0;
        if (lane->reserve(slot, room) == Outcome::kSent) loan = slot;
        break;
      }
      case 5:
        EXPECT_TRUE(lane->step());
        break;
      case 6:
        if (const auto handle = lane->free_handle()) {
          const Outcome outcome = lane->hand_over(0, *handle, {0, kRoom}, {});
          if (outcome != Outcome::kSent) lane->release_handle(*handle);
          count(outcome == Outcome::kSent);
          lane->publish();
        }
        break;
      default:
        count(send_by_itself(size));
    }
    if (chance.below(3) != 0) read();
  }
  if (loan) end_loan();
  read();
  EXPECT_EQ(received, sent);
  EXPECT_GT(prepared, 1000U);
}

TEST_F(OutLanePreparedTest, ASiblingEndsIt) {
  prepare();
  const std::unique_ptr<ProducerPort> other = open_port();
  OutLane& sibling = *other->lane(kId).value();
  EXPECT_FALSE(send_by_itself(64)) << "it does not know what it may take";
  EXPECT_EQ(lane->put(message(64), {}, nullptr), Outcome::kSent);
  lane->publish();
  ++sent;
  read();
  EXPECT_EQ(received, sent);
  while (posted.size() < PeerConsumer::kDepth) post();
  EXPECT_EQ(sibling.put(message(64), {}, nullptr), Outcome::kSent);
  sibling.publish();
  peer.open_lane();
  LaneRecord record;
  ASSERT_EQ(peer.reader->look(record), Look::kMessage);
  EXPECT_EQ(posted.count(record.index), 1U) << "nobody else has used that buffer";
}

TEST_F(OutLanePreparedTest, NothingIsSentToAConsumerThatIsGone) {
  prepare();
  ASSERT_TRUE(hub->take(wire::ConsumerEnd{kId}, {}));
  EXPECT_FALSE(send_by_itself(64));
}

TEST_F(OutLanePreparedTest, NothingIsSentByALaneThatIsBrokenOff) {
  prepare();
  lane->break_off({Errc::connection_reset, 0, "for the test"});
  EXPECT_FALSE(send_by_itself(64));
}

}  // namespace
}  // namespace comch::transport::shm
