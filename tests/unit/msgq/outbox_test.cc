// Outbox: what a producer may send, and to whom.
#include "msgq/outbox.h"

#include <gtest/gtest.h>

#include "unit/msgq/parts.h"

namespace comch::msgq {
namespace {

struct OutboxTest : testing::Test {
  std::shared_ptr<Hub> hub = std::make_shared<Hub>(Hub::Limits{.consumers = 3, .producers = 2});
};

TEST_F(OutboxTest, AsksToTryAgainWhileNothingIsPosted) {
  Receiver to(*hub);
  Transmitter from(hub);
  EXPECT_FALSE(from.outbox.has_space(kFirst).value());
  EXPECT_EQ(from.send("early").error().code, Errc::again);
  to.inbox.post(1);
  EXPECT_TRUE(from.outbox.has_space(kFirst).value());
  EXPECT_TRUE(from.send("now"));
  EXPECT_EQ(from.send("late").error().code, Errc::again);
  EXPECT_EQ(to.take(), "now");
}

TEST_F(OutboxTest, HoldsMessagesAheadOfTheirReceivesWhenItMay) {
  Receiver to(*hub, 1);
  Transmitter from(hub, 3);
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(from.send(text));
  EXPECT_FALSE(from.outbox.has_space(kFirst).value());
  for (const char* text : {"a", "b", "c"}) {
    to.inbox.post(1);
    EXPECT_EQ(to.take(), text);
  }
}

TEST_F(OutboxTest, RefusesAConsumerThatIsNotThere) {
  Transmitter from(hub);
  for (const std::uint32_t id : {0U, 1U, 2U, 0xffffU, ~0U}) {
    EXPECT_EQ(from.send("?", ConsumerId{id}).error().code, Errc::invalid_value) << id;
    EXPECT_EQ(from.outbox.has_space(ConsumerId{id}).error().code, Errc::invalid_value) << id;
  }
}

TEST_F(OutboxTest, RefusesAConsumerThatHasClosedAndFindsTheNextOneOfItsSeat) {
  Receiver to(*hub);
  Transmitter from(hub);
  to.inbox.post(1);
  ASSERT_TRUE(from.send("a"));
  hub->withdraw(to.seat);
  to.inbox.close();
  EXPECT_EQ(from.send("b").error().code, Errc::invalid_value);
  Inbox next(hub->open(to.seat, 4, kMaxImmediate, to.doorbell));
  next.post(1);
  EXPECT_TRUE(from.send("c", next.terms().id));
  EXPECT_EQ(from.send("d", to.id).error().code, Errc::invalid_value);
  EXPECT_EQ(from.outbox.links().size(), 1U) << "what is gone is let go of";
}

TEST_F(OutboxTest, RefusesMoreThanTheConsumerTakesAndUsesUpNothing) {
  Receiver to(*hub, 4, 2);
  Transmitter from(hub);
  to.inbox.post(1);
  EXPECT_EQ(from.send("abc").error().code, Errc::invalid_value);
  EXPECT_TRUE(from.send("ab"));
  EXPECT_EQ(to.take(), "ab");
}

TEST_F(OutboxTest, KeepsTheMessagesOfEachConsumerApart) {
  Receiver one(*hub);
  Receiver two(*hub);
  Transmitter from(hub);
  one.inbox.post(2);
  two.inbox.post(2);
  for (const Receiver* to : {&one, &two, &one, &two}) {
    ASSERT_TRUE(from.outbox.put(to->id, test::bytes(std::to_string(to->seat))));
  }
  from.outbox.publish();
  for (Receiver* to : {&one, &two}) {
    EXPECT_EQ(to->take(), std::to_string(to->seat));
    EXPECT_EQ(to->take(), std::to_string(to->seat));
  }
}

TEST_F(OutboxTest, PublishesWhatWasPutWhenItGoes) {
  Receiver to(*hub);
  to.inbox.post(1);
  {
    Transmitter from(hub);
    ASSERT_TRUE(from.outbox.put(kFirst, test::bytes("left behind")));
    EXPECT_EQ(to.take(), std::nullopt);
  }
  EXPECT_EQ(to.take(), "left behind");
}

}  // namespace
}  // namespace comch::msgq
