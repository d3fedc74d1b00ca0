// Hub: seats and ids.
#include "msgq/hub.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/msgq/parts.h"

namespace comch::msgq {
namespace {

std::shared_ptr<Mailbox> open(Hub& hub, std::uint32_t seat) {
  return hub.open(seat, 4, kMaxImmediate, std::make_shared<CountingDoorbell>());
}

TEST(HubTest, GivesTheFirstConsumerTheIdOne) {
  Hub hub({.consumers = 3, .producers = 1});
  EXPECT_EQ(open(hub, hub.join_consumer().value())->terms().id, kFirst);
}

TEST(HubTest, GivesNoIdTwiceAndNeverZeroOr0xffff) {
  Hub hub({.consumers = 3, .producers = 1});
  std::set<std::uint32_t> seen{0, 0xffff};
  for (std::uint32_t seat = 0; seat < 3; ++seat) {
    ASSERT_EQ(hub.join_consumer().value(), seat);
    for (int times = 0; times < 30'000; ++times) {
      const auto id = static_cast<std::uint32_t>(open(hub, seat)->terms().id);
      ASSERT_TRUE(seen.insert(id).second) << id;
      ASSERT_EQ(hub.seat_of(ConsumerId{id}), seat);
    }
  }
}

TEST(HubTest, FindsAMailboxByItsIdUntilItIsWithdrawn) {
  Hub hub({.consumers = 2, .producers = 1});
  const std::uint32_t seat = hub.join_consumer().value();
  EXPECT_EQ(hub.find(kFirst), nullptr);
  const auto first = open(hub, seat);
  EXPECT_EQ(hub.find(kFirst), first);
  for (const std::uint32_t stranger : {0U, 2U, 3U, 0xffffU, ~0U}) {
    EXPECT_EQ(hub.find(ConsumerId{stranger}), nullptr) << stranger;
  }
  const auto second = open(hub, seat);
  EXPECT_EQ(hub.find(kFirst), nullptr) << "the id of an earlier opening";
  EXPECT_EQ(hub.find(second->terms().id), second);
  hub.withdraw(seat);
  EXPECT_EQ(hub.find(second->terms().id), nullptr);
}

TEST(HubTest, HasAsManySeatsAsItWasAskedFor) {
  Hub hub({.consumers = 2, .producers = 1});
  EXPECT_EQ(hub.join_consumer().value(), 0U);
  EXPECT_EQ(hub.join_consumer().value(), 1U);
  EXPECT_EQ(hub.join_consumer().error().code, Errc::full);
  hub.leave_consumer(0);
  EXPECT_EQ(hub.consumers(), 1U);
  EXPECT_EQ(hub.join_consumer().value(), 0U);
}

TEST(HubTest, GivesEveryProducerAnIdOfItsOwn) {
  Hub hub({.consumers = 1, .producers = 1});
  EXPECT_EQ(hub.join_producer().value(), ProducerId{1});
  EXPECT_EQ(hub.join_producer().error().code, Errc::full);
  hub.leave_producer();
  EXPECT_EQ(hub.producers(), 0U);
  EXPECT_EQ(hub.join_producer().value(), ProducerId{2});
}

TEST(HubTest, IsLeftWhenASeatGoes) {
  const auto hub = std::make_shared<Hub>(Hub::Limits{.consumers = 1, .producers = 1});
  {
    ConsumerSeat consumer(hub, hub->join_consumer().value());
    const ConsumerSeat moved(std::move(consumer));
    const ProducerSeat producer(hub, hub->join_producer().value());
    EXPECT_EQ(hub->consumers() + hub->producers(), 2U);
  }
  EXPECT_EQ(hub->consumers() + hub->producers(), 0U);
}

}  // namespace
}  // namespace comch::msgq
