// Gathering: send tasks that say that more are to come.
#include "comch/gathering.h"

#include <poll.h>

#include <algorithm>

#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct GatheringTest : FastPair {
  static constexpr std::size_t kRoom = 64;

  // Of 16 posted buffers at most, so that four messages go together.
  Consumer& posted(std::uint32_t count = 15) {
    Consumer& to = FastPair::consumer(there, {.depth = 16});
    post_rooms(to, there, count, kRoom);
    return to;
  }
  // Which has sent already: the first message to a consumer goes by itself.
  Producer& producer_to(Consumer& to) {
    Producer& from = producer();
    post(to, there.room(8192, kRoom));
    task(from, to.id(), "0").submit().value();
    EXPECT_TRUE(run_until([&] { return texts.size() == 1 && sent.size() == 1; }));
    texts.clear();
    sent.clear();
    return from;
  }
  ProducerTask& task(Producer& from, ConsumerId to, std::string_view text) {
    return *from.allocate_send(here.data(kRoom * written++, text), {}, to).value();
  }
  ProducerTask& more(Producer& from, ConsumerId to, std::string_view text) {
    ProducerTask& made = task(from, to, text);
    EXPECT_TRUE(made.try_submit_more());
    return made;
  }
  // A task that was not accepted.
  static void give_up(ProducerTask& refused) {
    if (refused.buffer() != nullptr) {
      std::ignore = const_cast<Buffer*>(refused.buffer())->drop_reference();
    }
    refused.free().value();
  }
  bool arrive(const std::vector<std::string>& expected) {
    return run_until([&] { return texts.size() >= expected.size(); }) && texts == expected;
  }

  std::size_t written = 0;
};

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
  std::size_t sent = 0;
  while (const auto some = other.send(to.id(), many).value_or(0)) sent += some;
  EXPECT_EQ(sent, 6U);
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

TEST_F(SharedGatheringTest, AnAbortGivesBackWhatWasTakenForWhatIsHeld) {
  Consumer& to = posted(2);
  Producer& from = producer_to(to);
  Producer& other = sibling_of(from, to);
  more(from, to.id(), "1");
  std::ignore = from.abort().value();
  ASSERT_TRUE(run_until_idle(from));
  for (int n = 0; n < 2; ++n) task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(arrive({"other", "other"}));
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
