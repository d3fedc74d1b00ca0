// Seat: what a producer takes at a consumer's desk, and who has what it does not use.
#include "transport/shm/seat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "unit/transport/shm/peer_consumer.h"

namespace comch::transport::shm {
namespace {

using comch::shm::Posted;
using test::PeerConsumer;

constexpr std::uint32_t kId = 2;

struct SeatTest : testing::Test {
  // A consumer that has posted the buffers 0 to 3.
  std::shared_ptr<RemoteConsumer> posted(wire::Way way = wire::Way::kMapped) {
    peer.emplace(*hub, kId, way);
    peer->post_all();
    return hub->find(kId);
  }
  static std::vector<int> take_all(Seat& seat) {
    std::vector<int> taken;
    for (Posted posted; taken.size() < 8 && seat.take(posted);) taken.push_back(posted.index);
    return taken;
  }

  std::shared_ptr<Hub> hub = Hub::create(false, ::getuid(), ::getpid()).value();
  std::optional<PeerConsumer> peer;
};

using Indices = std::vector<int>;

TEST_F(SeatTest, TakesWhatIsPostedInItsOrder) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  EXPECT_TRUE(seat.ready());
  EXPECT_EQ(take_all(seat), (Indices{0, 1, 2, 3}));
  EXPECT_FALSE(seat.ready());
}

TEST_F(SeatTest, WhatIsKeptIsTheNextToBeUsed) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Posted first;
  ASSERT_TRUE(seat.take(first));
  seat.keep(first);
  EXPECT_FALSE(seat.hand_empty());
  EXPECT_EQ(take_all(seat), (Indices{0, 1, 2, 3}));
}

TEST_F(SeatTest, TakesManyAtOnceAndFirstWhatIsInItsHand) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  std::array<Posted, 8> taken;
  ASSERT_EQ(seat.take(std::span(taken).first(2)), 2U);
  seat.keep(taken[1]);
  ASSERT_EQ(seat.take(taken), 1U) << "what is in its hand goes by itself";
  EXPECT_EQ(taken[0].index, 1);
  ASSERT_EQ(seat.take(taken), 2U);
  EXPECT_EQ(taken[0].index, 2);
  EXPECT_EQ(taken[1].index, 3);
  EXPECT_EQ(seat.take(taken), 0U);
  for (const int n : {1, 0}) seat.keep(taken[static_cast<std::size_t>(n)]);
  ASSERT_EQ(seat.take(std::span(taken).first(1)), 1U);
  EXPECT_EQ(taken[0].index, 2);
  EXPECT_EQ(take_all(seat), Indices{3});
}

TEST_F(SeatTest, WhatIsTakenAheadAndNotUsedGoesBackInItsOrder) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  seat.take_ahead(3);
  Posted used;
  ASSERT_TRUE(seat.take(used));
  EXPECT_EQ(used.index, 0);
  EXPECT_FALSE(seat.return_ahead()) << "nobody waits";
  EXPECT_TRUE(seat.hand_empty());
  Seat other = Seat::at(*consumer).value();
  EXPECT_EQ(take_all(other), (Indices{1, 2, 3}));
}

TEST_F(SeatTest, WhatIsTakenAheadIsNoMoreThanWasAskedFor) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  seat.take_ahead(3);
  Seat other = Seat::at(*consumer).value();
  EXPECT_EQ(take_all(other), Indices{3});
}

TEST_F(SeatTest, WhatIsGivenBackOthersHaveWhoeverSatAlone) {
  const auto consumer = posted();
  Indices had;
  {
    Seat seat = Seat::at(*consumer).value();
    std::array<Posted, 4> taken;
    for (Posted& one : taken) ASSERT_TRUE(seat.take(one));
    // The second was used. A desk takes back from one alone only what it took last.
    for (const std::size_t kept : {3U, 0U, 2U}) seat.keep(taken[kept]);
    seat.give_back();
    EXPECT_TRUE(seat.hand_empty());
  }
  Seat other = Seat::at(*consumer).value();
  had = take_all(other);
  std::ranges::sort(had);
  EXPECT_EQ(had, (Indices{0, 2, 3}));
}

TEST_F(SeatTest, OneAloneKeepsWhatItWouldPassOn) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Posted one;
  ASSERT_TRUE(seat.take(one));
  EXPECT_FALSE(seat.pass_on(one));
  EXPECT_EQ(take_all(seat), (Indices{0, 1, 2, 3}));
}

TEST_F(SeatTest, WhatIsPassedOnBesideOthersTheyHave) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Seat other = Seat::at(*consumer).value();
  Indices had = take_all(seat);
  ASSERT_EQ(had.size(), 4U);
  EXPECT_FALSE(other.ready());
  EXPECT_FALSE(seat.pass_on({.offset = 128, .capacity = 64, .index = 2})) << "nobody waits";
  EXPECT_TRUE(seat.hand_empty());
  EXPECT_TRUE(other.ready());
  EXPECT_EQ(take_all(other), Indices{2});
}

TEST_F(SeatTest, ItsHandIsInTheOrderOfUseWhateverIsKept) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Seat other = Seat::at(*consumer).value();
  const auto hand = [&] {
    Indices indices;
    for (const Posted& one : seat.hand()) indices.push_back(one.index);
    return indices;
  };
  EXPECT_EQ(hand(), Indices{});
  seat.take_ahead(1);
  EXPECT_EQ(hand(), (Indices{0})) << "a share of depth 4 is one";
  seat.take_ahead(1);
  EXPECT_EQ(hand(), (Indices{0})) << "only an empty hand takes";
  seat.keep({.offset = 64, .capacity = 64, .index = 9});
  seat.keep({.offset = 64, .capacity = 64, .index = 8});
  EXPECT_EQ(hand(), (Indices{8, 9, 0}));
  seat.use(2);
  EXPECT_EQ(hand(), (Indices{0}));
  seat.use(1);
  EXPECT_TRUE(seat.hand_empty());
}

TEST_F(SeatTest, MoreMayBeKeptThanALoanTakes) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Indices kept;
  for (std::uint16_t n = 0; n < 2 * comch::shm::kHandMax; ++n) {
    seat.keep({.offset = 0, .capacity = 64, .index = n});
    kept.insert(kept.begin(), n);
  }
  Indices had;
  for (const Posted& one : seat.hand()) had.push_back(one.index);
  EXPECT_EQ(had, kept);
}

TEST_F(SeatTest, WhoWaitsIsToBeWokenByWhatGoesBack) {
  const auto consumer = posted();
  Seat seat = Seat::at(*consumer).value();
  Seat other = Seat::at(*consumer).value();
  const auto take_ahead = [&] {
    seat.take_ahead(1);
    return !seat.hand_empty();
  };
  other.begin_waiting();
  other.begin_waiting();  // Twice is once.
  ASSERT_TRUE(take_ahead());
  EXPECT_TRUE(seat.return_ahead());
  EXPECT_FALSE(seat.return_ahead()) << "nothing went back";
  other.end_waiting();
  ASSERT_TRUE(take_ahead());
  EXPECT_FALSE(seat.return_ahead());
  {
    Seat third = Seat::at(*consumer).value();
    third.begin_waiting();
    EXPECT_TRUE(seat.pass_on({.offset = 128, .capacity = 64, .index = 2}));
  }
  EXPECT_FALSE(seat.pass_on({.offset = 128, .capacity = 64, .index = 3}))
      << "who left waits no more";
}

TEST_F(SeatTest, ASlotIsAllThatAConsumerOfViewsGives) {
  peer.emplace(*hub, kId, wire::Way::kView);
  const auto consumer = hub->find(kId);
  Seat seat = Seat::at(*consumer).value();
  Posted slot;
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(seat.take(slot));
    EXPECT_FALSE(slot.has_buffer());
    seat.keep(slot);
  }
  EXPECT_TRUE(seat.ready());
  EXPECT_TRUE(seat.hand_empty()) << "there is nothing to keep";
}

TEST_F(SeatTest, IsLeftOnceHoweverOftenItIsMoved) {
  const auto consumer = posted();
  Seat other = Seat::at(*consumer).value();
  {
    Seat seat = Seat::at(*consumer).value();
    const Seat moved = std::move(seat);
    EXPECT_TRUE(consumer->desk.shared());
  }
  EXPECT_EQ(take_all(other), (Indices{0, 1, 2, 3}));
  Seat again = Seat::at(*consumer).value();
  EXPECT_FALSE(again.ready());
}

TEST_F(SeatTest, ThereAre1024AndTheNextIsTold) {
  const auto consumer = posted();
  std::vector<Seat> seats;
  for (int n = 0; n < 1024; ++n) seats.push_back(Seat::at(*consumer).value());
  const Result<Seat> late = Seat::at(*consumer);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::full);
  seats.pop_back();
  EXPECT_TRUE(Seat::at(*consumer));
}

}  // namespace
}  // namespace comch::transport::shm
