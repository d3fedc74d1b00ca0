// Inbox: what a consumer takes, from whom, and how it ends.
#include "msgq/inbox.h"

#include <gtest/gtest.h>

#include "unit/msgq/parts.h"

namespace comch::msgq {
namespace {

struct InboxTest : testing::Test {
  std::shared_ptr<Hub> hub = std::make_shared<Hub>(Hub::Limits{.consumers = 1, .producers = 4});
  Receiver receiver{*hub};
  Inbox& inbox = receiver.inbox;
};

TEST_F(InboxTest, TakesWhatFillsAPostedReceive) {
  Transmitter from(hub, 4);
  ASSERT_TRUE(from.send("held"));
  EXPECT_FALSE(inbox.ready());
  EXPECT_EQ(receiver.take(), std::nullopt);
  inbox.post(1);
  EXPECT_EQ(inbox.outstanding(), 1U);
  EXPECT_TRUE(inbox.ready());
  EXPECT_EQ(receiver.take(), "held");
  EXPECT_EQ(inbox.outstanding(), 0U);
}

TEST_F(InboxTest, LetsProducersTakeTurns) {
  Transmitter a(hub);
  Transmitter b(hub);
  inbox.post(4);
  for (const char* text : {"a1", "a2"}) ASSERT_TRUE(a.send(text));
  for (const char* text : {"b1", "b2"}) ASSERT_TRUE(b.send(text));
  std::vector<std::string> taken;
  while (auto text = receiver.take()) taken.push_back(*text);
  EXPECT_EQ(taken, (std::vector<std::string>{"a1", "b1", "a2", "b2"}));
}

TEST_F(InboxTest, PassesByAProducerWhoseMessageIsHeld) {
  Transmitter first(hub, 4);
  Transmitter second(hub, 4);
  ASSERT_TRUE(first.send("number 0"));
  ASSERT_TRUE(first.send("number 1"));
  ASSERT_TRUE(second.send("number 2"));
  inbox.post(1);
  EXPECT_EQ(receiver.take(), "number 0");
  EXPECT_EQ(receiver.take(), std::nullopt);
  inbox.post(2);
  EXPECT_EQ(receiver.take(), "number 2");
  EXPECT_EQ(receiver.take(), "number 1");
}

TEST_F(InboxTest, ForgetsAProducerThatHasEnded) {
  inbox.post(1);
  {
    Transmitter from(hub);
    ASSERT_TRUE(from.send("last words"));
  }
  EXPECT_EQ(receiver.take(), "last words");
  EXPECT_EQ(receiver.take(), std::nullopt);
  EXPECT_FALSE(inbox.ready());
}

// Each call finds the message of the one who came last, and has no reason to look further.
TEST_F(InboxTest, ForgetsProducersThatHaveEndedThoughEveryCallFindsAMessage) {
  inbox.post(8);
  std::vector<std::weak_ptr<Link>> gone;
  for (int n = 0; n < 8; ++n) {
    Transmitter from(hub);
    ASSERT_TRUE(from.send("the only one"));
    ASSERT_EQ(receiver.take(), "the only one");
    gone.emplace_back(from.outbox.links().front());
    hub->leave_producer();
  }
  for (std::size_t n = 0; n + 1 < gone.size(); ++n) EXPECT_TRUE(gone[n].expired()) << n;
}

TEST_F(InboxTest, KeepsWhatAProducerThatHasEndedLeftUnread) {
  inbox.post(3);
  Transmitter stays(hub);
  {
    Transmitter from(hub);
    ASSERT_TRUE(from.send("first"));
    ASSERT_TRUE(from.send("last words"));
    EXPECT_EQ(receiver.take(), "first");
  }
  ASSERT_TRUE(stays.send("new"));
  EXPECT_EQ(receiver.take(), "new");
  EXPECT_EQ(receiver.take(), "last words");
}

TEST_F(InboxTest, LeavesTheTurnWithWhoseItIsWhenOthersAreForgotten) {
  inbox.post(8);
  Transmitter b(hub);
  Transmitter c(hub);
  Transmitter d(hub);
  {
    Transmitter a(hub);
    ASSERT_TRUE(a.send("a"));
    ASSERT_TRUE(b.send("b"));
    ASSERT_TRUE(c.send("c"));
    EXPECT_EQ(receiver.take(), "a");
  }
  ASSERT_TRUE(d.send("d"));
  for (const char* text : {"b", "c", "d"}) EXPECT_EQ(receiver.take(), text);
}

TEST_F(InboxTest, HandsOutWhatWasDeliveredWhenItIsClosed) {
  Transmitter from(hub, 4);
  inbox.post(1);
  ASSERT_TRUE(from.send("delivered"));
  ASSERT_TRUE(from.send("held"));
  EXPECT_FALSE(inbox.drained());
  inbox.close();
  EXPECT_FALSE(inbox.drained());
  EXPECT_EQ(receiver.take(), "delivered");
  EXPECT_TRUE(inbox.drained());
  EXPECT_EQ(receiver.take(), std::nullopt);
}

TEST_F(InboxTest, IsDrainedAtOnceWhenNothingWasAccepted) {
  inbox.post(4);
  inbox.close();
  EXPECT_TRUE(inbox.drained());
}

// A message that is accepted and not yet in its lane: its producer is in the middle of a call.
TEST_F(InboxTest, WaitsForAMessageThatIsOnItsWayWhenItIsClosed) {
  Transmitter from(hub);
  inbox.post(1);
  ASSERT_TRUE(from.outbox.put(kFirst, test::bytes("slow")));
  inbox.close();
  EXPECT_EQ(receiver.take(), std::nullopt);
  EXPECT_FALSE(inbox.drained());
  from.outbox.publish();
  EXPECT_EQ(receiver.take(), "slow");
  EXPECT_TRUE(inbox.drained());
}

TEST_F(InboxTest, TellsProducersOfWhatIsPostedAndOfTheEnd) {
  Transmitter from(hub);
  ASSERT_FALSE(from.outbox.has_space(kFirst).value());
  shm::BellSleeper<> sleeper(from.doorbell->bell);
  static_cast<void>(sleeper.arm());
  inbox.post(1);
  EXPECT_EQ(from.doorbell->rings, 1);
  static_cast<void>(sleeper.arm());
  inbox.close();
  EXPECT_EQ(from.doorbell->rings, 2);
}

}  // namespace
}  // namespace comch::msgq
