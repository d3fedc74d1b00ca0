// Gathering: send tasks that say that more are to come.
#include "comch/gathering.h"

#include <poll.h>

#include <algorithm>

#include "unit/comch/gathering_fixture.h"

namespace comch::test {
namespace {

TEST_F(GatheringTest, TakesTasksOfDataForItsConsumerUntilItIsFull) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  Gathering gathering;
  EXPECT_TRUE(gathering.empty());
  gathering.begin(static_cast<std::uint32_t>(to.id()), 2, 4);
  EXPECT_EQ(gathering.consumer(), static_cast<std::uint32_t>(to.id()));
  std::vector<ProducerTask*> made;
  const auto impl = [&](ProducerTask& face) -> ProducerTaskImpl& {
    made.push_back(&face);
    return ProducerTaskImpl::of(face);
  };
  ProducerTaskImpl& first = impl(task(from, to.id(), "four"));
  ProducerTaskImpl& second = impl(task(from, to.id(), "a"));
  EXPECT_TRUE(gathering.takes(first));
  EXPECT_FALSE(gathering.takes(impl(task(from, to.id(), "fives"))));
  EXPECT_FALSE(gathering.takes(impl(task(from, ConsumerId{999}, "a"))));
  EXPECT_FALSE(gathering.takes(impl(*from.allocate_send(nullptr, {}, to.id()).value())));
  EXPECT_FALSE(gathering.add(first));
  EXPECT_TRUE(gathering.add(second)) << "the last one";
  const auto taken = gathering.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0], &first);
  EXPECT_EQ(taken[1], &second);
  EXPECT_TRUE(gathering.empty());
  for (ProducerTask* each : made) give_up(*each);
}

TEST_F(GatheringTest, CountsWhatIsInALaneAndTakesNoTaskBeside) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  ProducerTask& face = task(from, to.id(), "a");
  const auto id = static_cast<std::uint32_t>(to.id());
  Gathering gathering;
  gathering.begin_in_lane(id, 2);
  EXPECT_FALSE(gathering.takes_in_lane(id)) << "the first is not in there yet";
  EXPECT_FALSE(gathering.add_in_lane());
  EXPECT_FALSE(gathering.empty());
  EXPECT_TRUE(gathering.any_in_lane());
  EXPECT_TRUE(gathering.takes_in_lane(id));
  EXPECT_FALSE(gathering.takes_in_lane(id + 1));
  EXPECT_FALSE(gathering.takes(ProducerTaskImpl::of(face)));
  EXPECT_TRUE(gathering.add_in_lane()) << "the last one";
  EXPECT_TRUE(gathering.take().empty());
  EXPECT_TRUE(gathering.empty());
  gathering.begin_in_lane(id, 1000);
  for (std::uint32_t n = 1; n < Gathering::kMostInLane; ++n) EXPECT_FALSE(gathering.add_in_lane());
  EXPECT_TRUE(gathering.add_in_lane());
  give_up(face);
}

TEST_F(GatheringTest, HoldsATaskUntilItIsFlushed) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  ProducerTask& one = more(from, to.id(), "one");
  more(from, to.id(), "two");
  EXPECT_EQ(from.counters().sent_messages, 1U);
  EXPECT_EQ(from.tasks_in_flight(), 2U);
  EXPECT_EQ(code(one.status()), Errc::in_progress);
  EXPECT_FALSE(one.try_submit_more()) << "submitted already";
  from.flush();
  EXPECT_EQ(from.counters().sent_messages, 3U);
  EXPECT_TRUE(sent.empty()) << "callbacks come from progress()";
  ASSERT_TRUE(arrive({"one", "two"}));
  ASSERT_TRUE(run_until([&] { return sent.size() == 2; }));
  EXPECT_TRUE(sent[0] && sent[1]);
  EXPECT_EQ(from.tasks_in_flight(), 0U);
}

TEST_F(GatheringTest, ProgressSendsWhatIsHeldAndTellsOfIt) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "one");
  engine->progress();
  EXPECT_EQ(from.counters().sent_messages, 2U);
  EXPECT_EQ(sent.size(), 1U);
}

TEST_F(GatheringTest, NobodySleepsWhileATaskIsHeld) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  ASSERT_TRUE(run_until([&] { return !engine->progress(); }));
  more(from, to.id(), "one");
  engine->request_notification().value();
  pollfd event{.fd = engine->event_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&event, 1, 5'000), 1);
  engine->clear_notification().value();
  ASSERT_TRUE(arrive({"one"}));
}

TEST_F(GatheringTest, AQuarterOfWhatIsPostedGoesByItself) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  for (const char* text : {"1", "2", "3"}) more(from, to.id(), text);
  EXPECT_EQ(from.counters().sent_messages, 1U);
  more(from, to.id(), "4");
  EXPECT_EQ(from.counters().sent_messages, 5U);
  more(from, to.id(), "5");
  EXPECT_EQ(from.counters().sent_messages, 5U);
  ASSERT_TRUE(arrive({"1", "2", "3", "4", "5"}));
}

TEST_F(GatheringTest, IsSentAheadOfWhateverComesBehindIt) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  task(from, to.id(), "2").submit().value();
  more(from, to.id(), "3");
  ASSERT_TRUE(task(from, to.id(), "4").try_submit());
  more(from, to.id(), "5");
  const std::array messages{Outgoing{.data = bytes("6"), .immediate = {}}};
  EXPECT_EQ(from.send(to.id(), messages).value(), 1U);
  more(from, to.id(), "7");
  EXPECT_FALSE(from.try_send(to.id(), bytes("8"))) << "send() does it";
  EXPECT_EQ(from.send(to.id(), messages).value(), 1U);
  more(from, to.id(), "9");
  const Loan loan = from.reserve(to.id()).value();
  more(from, to.id(), "10");
  loan.room[0] = std::byte{'x'};
  from.commit(loan, 1).value();
  ASSERT_TRUE(arrive({"1", "2", "3", "4", "5", "6", "7", "6", "9", "10", "x"}));
}

TEST_F(GatheringTest, WhatIsNotPlainIsSubmittedAtOnceBehindWhatIsHeld) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  ProducerTask& imm = *from.allocate_send(nullptr, bytes("imm"), to.id()).value();
  EXPECT_TRUE(imm.try_submit_more());
  EXPECT_EQ(from.counters().sent_messages, 3U);
  more(from, to.id(), "2");
  ASSERT_TRUE(arrive({"1", "", "2"}));
  EXPECT_EQ(immediates[2], "imm") << "behind the one that producer_to() sent, and another";
}

TEST_F(GatheringTest, OfSeveralConsumersEachGetsItsOwnInOrder) {
  Consumer& a = posted();
  Consumer& b = FastPair::consumer(there, {.depth = 16});
  for (std::size_t n = 0; n < 8; ++n) post(b, there.room(4096 + n * kRoom, kRoom));
  Producer& from = producer_to(a);
  for (const char* text : {"1", "2", "3", "4"}) {
    more(from, a.id(), "a");
    more(from, b.id(), text);
  }
  ASSERT_TRUE(run_until([&] { return texts.size() == 8; }));
  std::erase(texts, "a");
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "2", "3", "4"}));
}

TEST_F(GatheringTest, NoTaskIsAcceptedThatNoBufferIsPostedFor) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  more(from, to.id(), "2");
  ProducerTask& late = task(from, to.id(), "3");
  EXPECT_FALSE(late.try_submit_more());
  EXPECT_EQ(code(late.submit()), Errc::again);
  post(to, there.room(4096, kRoom));
  ProducerTask& longer = task(from, to.id(), std::string(kRoom + 1, 'x'));
  EXPECT_FALSE(longer.try_submit_more());
  EXPECT_EQ(code(longer.submit()), Errc::invalid_value);
  give_up(longer);
  EXPECT_TRUE(late.try_submit_more());
  ASSERT_TRUE(arrive({"1", "2", "3"}));
}

TEST_F(GatheringTest, ASecondProducerMayTakeTheBuffersThatWereKnownToBePosted) {
  Consumer& to = posted(5);
  Producer& from = producer_to(to);
  Producer& other = producer();
  for (const char* text : {"1", "2", "3"}) more(from, to.id(), text);
  for (int n = 0; n < 4; ++n) task(other, to.id(), "other").submit().value();
  from.flush();
  ASSERT_TRUE(run_until([&] { return texts.size() == 5 && sent.size() == 5; }));
  EXPECT_EQ(from.tasks_in_flight(), 2U) << "they wait";
  EXPECT_FALSE(from.has_space(to.id()));
  for (std::size_t n = 0; n < 2; ++n) post(to, there.room(4096 + n * kRoom, kRoom));
  ASSERT_TRUE(run_until([&] { return texts.size() == 7 && sent.size() == 7; }));
  EXPECT_TRUE(std::ranges::all_of(sent, [](const Status& status) { return bool{status}; }));
  std::erase(texts, "other");
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(GatheringTest, AStopDeliversWhatIsHeld) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  std::ignore = from.stop().value();
  EXPECT_EQ(from.counters().sent_messages, 2U);
  ASSERT_TRUE(arrive({"1"}));
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0]);
}

TEST_F(GatheringTest, AnAbortReturnsWhatIsHeld) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  std::ignore = from.abort().value();
  ASSERT_TRUE(run_until_idle(from));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(code(sent[0]), Errc::shutdown);
  EXPECT_EQ(from.counters().sent_messages, 1U);
  EXPECT_TRUE(texts.empty());
}

TEST_F(GatheringTest, AConsumerThatIsGoneReturnsWhatIsHeldForIt) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  const ConsumerId id = to.id();
  std::ignore = to.abort().value();
  // The consumer's end is told, and the task accepted before the producer's side hears of it.
  more(from, id, "1");
  ASSERT_TRUE(run_until([&] { return sent.size() == 1; }));
  ASSERT_TRUE(run_until_idle(to));
  ProducerTask& late = task(from, id, "2");
  ASSERT_TRUE(run_until([&] { return !std::ranges::count(client.consumers, id); }));
  EXPECT_FALSE(late.try_submit_more());
  EXPECT_EQ(code(late.submit()), Errc::invalid_value);
  give_up(late);
}

TEST_F(GatheringTest, OfALostPeerEveryTaskComesBackOnce) {
  Consumer& to = posted();
  Producer& from = producer_to(to);
  more(from, to.id(), "1");
  std::ignore = server->abort().value();
  more(from, to.id(), "2");
  ASSERT_TRUE(run_until([&] { return from.state() != ContextState::kRunning; }));
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(from.tasks_in_flight(), 0U);
}

TEST_F(GatheringTest, AProducerThatIsCutOffForgetsWhatItHolds) {
  Consumer& to = posted();
  auto made = Producer::create(client.connection()).value();
  made->configure_send(4, [](ProducerTask&) {}, [](ProducerTask&) {}).value();
  auto own = ProgressEngine::create().value();
  own->connect(*made).value();
  made->start().value();
  ProducerTask& held = more(*made, to.id(), "1");
  own.reset();
  EXPECT_EQ(made->state(), ContextState::kIdle);
  EXPECT_EQ(code(held.status()), Errc::shutdown);
  EXPECT_EQ(made->tasks_in_flight(), 0U);
}

}  // namespace
}  // namespace comch::test
