// OutLane: a consumer that writes random words into all that both sides share, while messages of
// every sort go: the producer touches nothing but the rooms that it was shown, hears of every
// message once or that there is an end, and another consumer has its messages all the same.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/deadline.h"
#include "transport/shm/producer_port.h"
#include "unit/transport/shm/by_itself.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/lying_consumer.h"
#include "unit/transport/shm/shown_memory.h"

namespace comch::transport::shm {
namespace {

using comch::shm::LaneRecord;
using comch::shm::Look;
using test::PeerConsumer;

constexpr std::uint32_t kHandles = 4;
constexpr std::size_t kFence = 65'536;
constexpr int kRounds = 2000;
constexpr int kSteps = 400;

// Addresses that nobody may touch. What is mapped next usually lies right below.
class Fence {
 public:
  Fence() : at_(::mmap(nullptr, kFence, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Fence() { ::munmap(at_, kFence); }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

 private:
  void* at_;
};

struct OutLaneLiesTest : testing::TestWithParam<wire::Way> {
  OutLaneLiesTest() { std::ranges::fill(data, std::byte{7}); }
  void TearDown() override {
    EXPECT_FALSE(owner.lost) << "one consumer's lies end nobody's connection";
  }

  void begin(std::uint32_t id) {
    hub_fence.emplace();
    peer.emplace(*hub, id, GetParam(), chance);
    lane_fence.emplace();
    lane = port->lane(id).value();
    peer->open_lane();
    under_way = 0;
    loans.clear();
    handed.clear();
  }
  void end(std::uint32_t id) {
    messages += lane->counters().messages();
    lane = nullptr;
    port->drop(id);
    std::ignore = hub->take(wire::ConsumerEnd{id}, {});
    const auto behind = peer->padding();
    EXPECT_EQ(std::ranges::count(behind, std::byte{0}), std::ssize(behind));
    peer.reset();
  }

  // Of a message that is taken step() says when it is complete, unless it is at once.
  bool is_taken(Outcome outcome) {
    if (outcome == Outcome::kUnderWay) ++under_way;
    return outcome == Outcome::kUnderWay || outcome == Outcome::kSent;
  }
  void send() {
    const std::size_t length = chance.any_of(test::kLengths);
    const auto immediate = std::span(data).first(chance.below(9));
    const Outcome outcome = lane->put(std::span(data).first(length), immediate,
                                      chance.below(2) == 0 ? &shown.source() : nullptr);
    std::ignore = is_taken(outcome);
    lane->publish();
  }
  void send_array() {
    const std::size_t count = 1 + chance.below(6);
    const std::size_t length = 1 + chance.below(chance.below(2) == 0 ? 64 : 8191);
    const auto message = std::span(data).first(length);
    if (chance.below(2) == 0) {
      std::ignore = lane->put_small(count, [&](std::size_t) { return message; });
    } else {
      lane->take_ahead(count);
      for (std::size_t n = 0; n < count; ++n)
        std::ignore = is_taken(lane->put(message, {}, nullptr));
    }
    lane->publish();
    std::ignore = lane->return_ahead();
  }
  void send_by_itself() {
    std::ignore = test::send_by_itself(*lane, data.first(chance.any_of(test::kLengths)));
  }
  void borrow() {
    if (lane->consumer().memory().empty()) return;  // Nothing to lend.
    std::uint32_t loan = 0;
    std::span<std::byte> room;
    if (lane->reserve(loan, room) != Outcome::kSent) return;
    const std::span<std::byte> all = lane->consumer().memory();
    ASSERT_GE(room.data(), all.data());
    ASSERT_LE(room.data() + room.size(), all.data() + all.size());
    std::ranges::fill(room, std::byte{9});
    loans.push_back({loan, room.size()});
  }
  void end_a_loan() {
    if (loans.empty()) return borrow();
    const auto [loan, size] = loans.back();
    loans.pop_back();
    const bool is_committed =
        chance.below(2) == 0 && is_taken(lane->commit(loan, chance.below(size + 1), {}));
    if (!is_committed) std::ignore = lane->abandon(loan);
    lane->publish();
  }
  void hand_over() {
    const auto map = lane->consumer().number_of(shown.source());
    const auto handle = lane->free_handle();
    if (!map || !handle) return;
    if (is_taken(lane->hand_over(*map, *handle, {0, 4096}, {}))) {
      handed.insert(*handle);
    } else {
      lane->release_handle(*handle);
    }
    lane->publish();
  }
  void take_returned() {
    const auto handle = lane->take_returned();
    if (!handle) return;
    EXPECT_EQ(handed.erase(*handle), 1U) << "was not lent, or is back already";
    lane->release_handle(*handle);
  }
  void step() {
    const auto done = lane->step();
    if (!done) {
      EXPECT_NE(lane->failure().code, Errc::skipped);
      return;
    }
    EXPECT_LE(*done, under_way);
    under_way -= *done;
  }
  void wait() {
    std::ignore = lane->arm(chance.below(2) == 0);
    std::ignore = lane->ready(chance.below(2) == 0);
    std::ignore = lane->has_space();
    std::ignore = lane->look_ahead(64);
    lane->disarm();
    if (chance.below(2) == 0) lane->relax();
  }
  // Everything of both sides, in any order.
  void act() {
    peer->tell_a_lie_seldom();
    switch (chance.below(12)) {
      case 0:
      case 1:
      case 2:
        return peer->post_any();
      case 3:
        return peer->read();
      case 4:
        return send();
      case 5:
        return send_array();
      case 6:
        return send_by_itself();
      case 7:
        return end_a_loan();
      case 8:
        return hand_over();
      case 9:
        return take_returned();
      case 10:
        return step();
      default:
        return wait();
    }
  }

  const std::uint64_t seed = test::seed();
  test::Chance chance{seed};
  test::FakeReactor reactor;
  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
  test::PortOwner owner;
  std::unique_ptr<ProducerPort> port =
      ProducerPort::open(reactor, hub,
                         {.staging = PeerConsumer::kMap, .cooperative = 8192, .handles = kHandles},
                         owner)
          .value();
  const test::ShownMemory shown{PeerConsumer::kMap};
  const std::span<std::byte> data = shown.bytes();

  struct Lent {
    std::uint32_t loan;
    std::size_t size;
  };
  std::optional<Fence> hub_fence;
  std::optional<Fence> lane_fence;
  std::optional<test::LyingConsumer> peer;
  OutLane* lane = nullptr;
  std::size_t under_way = 0;
  std::vector<Lent> loans;
  std::set<std::uint32_t> handed;
  std::uint64_t messages = 0;
};

TEST_P(OutLaneLiesTest, WhateverAConsumerWritesItsProducerStaysWithinItsRooms) {
  SCOPED_TRACE("COMCH_TEST_SEED=" + std::to_string(seed));
  std::uint32_t id = 2;
  for (int round = 0; round < kRounds && !HasFailure(); ++round, id += 2) {
    begin(id);
    for (int n = 0; n < kSteps && !HasFailure(); ++n) act();
    end(id);
  }
  EXPECT_GT(messages, kRounds) << "the lies are so many that nothing goes";
}

TEST_P(OutLaneLiesTest, AnotherConsumerOfTheSameProducerHasItsMessages) {
  SCOPED_TRACE("COMCH_TEST_SEED=" + std::to_string(seed));
  PeerConsumer honest(*hub, 3, wire::Way::kMapped);
  OutLane& to_honest = *port->lane(3).value();
  honest.open_lane();
  std::uint32_t id = 2;
  for (int round = 0; round < kRounds / 10 && !HasFailure(); ++round, id += 2) {
    begin(id);
    for (int n = 0; n < kSteps; ++n) {
      act();
      if (n % 16 != 0) continue;
      honest.post(0, 0, 64);
      ASSERT_EQ(to_honest.put(data.first(8), {}, nullptr), Outcome::kSent);
      to_honest.publish();
      LaneRecord record;
      ASSERT_EQ(honest.reader->look(record), Look::kMessage);
      EXPECT_EQ(record.length, 8U);
      honest.reader->pop(record);
    }
    end(id);
  }
}

std::string way_of(const testing::TestParamInfo<wire::Way>& way) {
  constexpr std::array kNames{"Auto", "Mapped", "Staged", "Cma", "View"};
  return kNames[static_cast<std::size_t>(way.param)];
}

// Not of kCma: what a lie has written over there is the liar's own memory, and here it is ours.
INSTANTIATE_TEST_SUITE_P(Ways, OutLaneLiesTest,
                         testing::Values(wire::Way::kMapped, wire::Way::kStaged, wire::Way::kView),
                         way_of);

}  // namespace
}  // namespace comch::transport::shm
