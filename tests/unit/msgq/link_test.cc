// Link: one producer's messages to one consumer.
#include "msgq/link.h"

#include <gtest/gtest.h>

#include "unit/msgq/parts.h"

namespace comch::msgq {
namespace {

struct LinkTest : testing::Test {
  void send(std::uint64_t number, std::string_view text) {
    link->put(number, test::bytes(text));
    link->publish();
  }
  std::string take() {
    const Arrival arrival = link->take(room);
    return test::text_of(std::span(room).first(arrival.length));
  }

  std::shared_ptr<CountingDoorbell> forth = std::make_shared<CountingDoorbell>();
  std::shared_ptr<CountingDoorbell> back = std::make_shared<CountingDoorbell>();
  std::shared_ptr<Mailbox> mailbox =
      std::make_shared<Mailbox>(Mailbox::Terms{kFirst, 4, kMaxImmediate}, forth);
  std::shared_ptr<Link> link = Link::create(ProducerId{7}, mailbox, back, 4).value();
  std::array<std::byte, kMaxImmediate> room{};
};

TEST_F(LinkTest, BringsNumberProducerAndDataInOrder) {
  send(5, "five");
  send(9, "");
  EXPECT_EQ(link->peek(), 5U);
  EXPECT_EQ(link->peek(), 5U) << "to look takes nothing";
  const Arrival arrival = link->take(room);
  EXPECT_EQ(arrival.producer, ProducerId{7});
  EXPECT_EQ(test::text_of(std::span(room).first(arrival.length)), "five");
  EXPECT_EQ(link->peek(), 9U);
  EXPECT_EQ(take(), "");
  EXPECT_EQ(link->peek(), std::nullopt);
}

TEST_F(LinkTest, CarriesThirtyTwoBytes) {
  const std::string all(kMaxImmediate, 'x');
  send(0, all);
  ASSERT_TRUE(link->peek());
  EXPECT_EQ(take(), all);
}

TEST_F(LinkTest, ShowsNothingBeforeItIsPublished) {
  link->put(0, test::bytes("a"));
  link->put(1, test::bytes("b"));
  EXPECT_EQ(link->peek(), std::nullopt);
  link->publish();
  EXPECT_EQ(link->peek(), 0U);
}

TEST_F(LinkTest, GoesRoundItsSlots) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    send(number, std::to_string(number));
    ASSERT_EQ(link->peek(), number);
    EXPECT_EQ(take(), std::to_string(number));
  }
}

TEST_F(LinkTest, IsOverWhenItsProducerHasEndedAndAllIsTaken) {
  send(0, "last");
  EXPECT_FALSE(link->is_over());
  link->end();
  EXPECT_FALSE(link->is_over());
  ASSERT_TRUE(link->peek());
  EXPECT_EQ(take(), "last");
  EXPECT_TRUE(link->is_over());
}

TEST_F(LinkTest, RingsOnceForEachSleepAndOnlyWhoSleeps) {
  shm::BellSleeper<> sleeper(forth->bell);
  send(0, "awake");
  EXPECT_EQ(forth->rings, 0);
  static_cast<void>(sleeper.arm());
  send(1, "asleep");
  send(2, "asleep still");
  EXPECT_EQ(forth->rings, 1);
  static_cast<void>(sleeper.arm());
  send(3, "asleep again");
  EXPECT_EQ(forth->rings, 2);
}

TEST_F(LinkTest, RingsItsProducerToo) {
  shm::BellSleeper<> sleeper(back->bell);
  link->tell_producer();
  EXPECT_EQ(back->rings, 0);
  static_cast<void>(sleeper.arm());
  link->tell_producer();
  EXPECT_EQ(back->rings, 1);
}

}  // namespace
}  // namespace comch::msgq
