// Gathering by one producer of several: the buffers that it takes for what it holds, and those that
// it does not use.
#include <poll.h>

#include <array>
#include <string>
#include <vector>

#include "unit/comch/gathering_fixture.h"

namespace comch::test {
namespace {

// One of two at a desk of 16, which have two each for their share.
struct SharedGatheringTest : GatheringTest {
  // Has sent, too: its share, so that no stash has anything left.
  Producer& sibling_of(Producer& from, Consumer& to) {
    Producer& other = producer();
    for (std::size_t n = 0; n < 2; ++n) post(to, there.room(16'384 + n * kRoom, kRoom));
    const std::array messages{Outgoing{bytes("a"), {}}, Outgoing{bytes("b"), {}}};
    EXPECT_EQ(other.send(to.id(), messages).value(), 2U);
    EXPECT_TRUE(run_until([&] { return texts.size() == 2; }));
    texts.clear();
    EXPECT_EQ(from.tasks_in_flight(), 0U);
    return other;
  }
};

TEST_F(SharedGatheringTest, AShareGoesByItself) {
  Consumer& to = posted(8);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  const std::uint64_t before = from.counters().sent_messages;
  more(from, to.id(), "1");
  EXPECT_EQ(from.counters().sent_messages, before);
  more(from, to.id(), "2");
  EXPECT_EQ(from.counters().sent_messages, before + 2);
  more(from, to.id(), "3");
  EXPECT_EQ(from.counters().sent_messages, before + 2);
  task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(run_until([&] { return texts.size() == 4; }));
  std::erase(texts, "other");
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(SharedGatheringTest, WhatIsHeldHasItsBufferAndWhatIsLeftOverOthersHave) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  more(from, to.id(), "1");
  ProducerTask& late = task(other, to.id(), "other");
  EXPECT_EQ(code(late.submit()), Errc::again) << "both are taken";
  from.flush();
  EXPECT_TRUE(late.submit());
  ASSERT_TRUE(run_until([&] { return texts.size() == 2 && sent.size() == 2; }));
  EXPECT_EQ(from.tasks_in_flight(), 0U);
}

TEST_F(SharedGatheringTest, WhoHoldsKeepsNoMoreThanItsShareFromOthers) {
  Consumer& to = posted(8);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  more(from, to.id(), "1");
  const std::vector<Outgoing> many(8, Outgoing{bytes("other"), {}});
  std::size_t all = 0;
  while (const auto some = other.send(to.id(), many).value_or(0)) all += some;
  EXPECT_EQ(all, 6U);
}

TEST_F(SharedGatheringTest, WhatIsLeftOverWakesASiblingThatSleepsForIt) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  EXPECT_EQ(other.tasks_in_flight(), 0U);
  const auto own = ProgressEngine::create().value();
  const std::unique_ptr<Producer> sleeper = producer_apart(*own);
  more(from, to.id(), "1");
  ASSERT_TRUE(sleeper->request_space(to.id()));
  while (own->progress()) continue;
  own->request_notification().value();
  pollfd event{.fd = own->event_fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&event, 1, 0), 0) << "nothing is there";
  from.flush();
  EXPECT_EQ(::poll(&event, 1, 5'000), 1);
  own->clear_notification().value();
  EXPECT_TRUE(until(*own, [&] { return spaces == 1; }));
  EXPECT_TRUE(sleeper->stop());
  EXPECT_TRUE(until(*own, [&] { return sleeper->state() == ContextState::kIdle; }));
}

TEST_F(SharedGatheringTest, ABufferWithoutRoomIsLeftToWhoHasAUseForIt) {
  Consumer& to = posted(1);
  Producer& from = producer_to(to);
  sibling_of(from, to);
  post(to, nullptr);
  more(from, to.id(), "1");
  ProducerTask& second = task(from, to.id(), "2");
  EXPECT_FALSE(second.try_submit_more()) << "that has room";
  EXPECT_EQ(code(second.submit()), Errc::invalid_value);
  give_up(second);
  from.allocate_send(nullptr, bytes("imm"), to.id()).value()->submit().value();
  ASSERT_TRUE(arrive({"1", ""}));
}

TEST_F(SharedGatheringTest, WhatATaskThatDoesNotFitWasToHaveOthersHave) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  ProducerTask& longer = task(from, to.id(), std::string(kRoom + 1, 'x'));
  EXPECT_FALSE(longer.try_submit_more());
  EXPECT_EQ(code(longer.submit()), Errc::invalid_value);
  give_up(longer);
  const std::string long_text(kRoom + 1, 'x');
  const std::array messages{Outgoing{bytes(long_text), {}}, Outgoing{bytes("b"), {}}};
  EXPECT_EQ(code(from.send(to.id(), messages)), Errc::invalid_value);
  for (int n = 0; n < 2; ++n) task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(arrive({"other", "other"}));
}

TEST_F(SharedGatheringTest, WhatAnEmptyTaskLeavesOthersHave) {
  Consumer& to = posted(3);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  EXPECT_TRUE(from.allocate_send(nullptr, {}, to.id()).value()->try_submit_more());
  for (int n = 0; n < 2; ++n) task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(arrive({"", "other", "other"}));
}

TEST_F(SharedGatheringTest, WhatTheUsualRecordsLeaveOthersHave) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  struct Record {
    const std::byte* data;
    std::uint64_t size;
  };
  const std::string long_text(kRoom + 1, 'x');
  const std::array records{Record{bytes("a").data(), 1},
                           Record{bytes(long_text).data(), long_text.size()}};
  const OutgoingRecords both{.data = &records[0].data,
                             .size = &records[0].size,
                             .stride = sizeof(Record),
                             .count = records.size()};
  EXPECT_EQ(from.try_send(to.id(), both), 1U);
  task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(arrive({"a", "other"}));
}

TEST_F(SharedGatheringTest, WhoFindsNoRoomForALoanKeepsNothing) {
  Consumer& to = posted(0);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  post(to, nullptr);
  EXPECT_EQ(code(from.reserve(to.id())), Errc::invalid_value);
  other.allocate_send(nullptr, bytes("imm"), to.id()).value()->submit().value();
  ASSERT_TRUE(arrive({""}));
}

TEST_F(SharedGatheringTest, AnAbortGivesBackWhatWasTakenForWhatIsHeld) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  ProducerTask& kept = *from.allocate_send(nullptr, {}, to.id()).value();
  more(from, to.id(), "1");
  std::ignore = from.abort().value();
  for (int n = 0; n < 2; ++n) task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(arrive({"other", "other"}));
  EXPECT_EQ(from.state(), ContextState::kStopping) << "a task is out";
  kept.free().value();
  ASSERT_TRUE(run_until_idle(from));
}

}  // namespace
}  // namespace comch::test
