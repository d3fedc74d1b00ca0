// What is different for consumers and producers whose peers are on another machine: what is
// answered not_supported, loans by memory of this side, and how it shows in the counters. The
// rest is told by the tests of the fast path, which run over this carrier, too.
#include "unit/comch/fast_pair.h"
#include "unit/comch/over_fake_verbs.h"

namespace comch::test {
namespace {

struct RdmaFastTest : FastPair {};

TEST_F(RdmaFastTest, SmallMessagesGoInTheLaneAndLongOnesStraightIntoTheBuffer) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  EXPECT_EQ(to.way(), DataWay::kMapped);
  post_rooms(to, there, 2, 5000);
  const std::string text = pattern(4000);
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "small"), "and immediate"));
  ASSERT_TRUE(submit(from, to.id(), here.data(8192, text)));
  EXPECT_TRUE(sent.empty()) << "complete when the other machine has acknowledged it";
  ASSERT_TRUE(run_until([&] { return texts.size() == 2 && sent.size() == 2; }));
  EXPECT_EQ(texts[0], "small");
  EXPECT_EQ(immediates[0], "and immediate");
  EXPECT_EQ(texts[1], text);
  EXPECT_EQ(from.counters().inline_messages, 1U);
  EXPECT_EQ(from.counters().mapped_messages, 1U);
  EXPECT_EQ(from.counters().staged_messages, 0U);
  EXPECT_EQ(to.counters().inline_messages, 1U);
  EXPECT_EQ(to.counters().direct_messages, 1U);
}

TEST_F(RdmaFastTest, ALoanIsOfThisSidesMemoryAndSaysSoInTheCounters) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 5000);
  const Loan loan = from.reserve(to.id()).value();
  ASSERT_EQ(loan.room.size(), 5000U);
  const std::string text = pattern(3000);
  std::ranges::copy(bytes(text), loan.room.begin());
  ASSERT_TRUE(from.commit(loan, text.size()));
  ASSERT_TRUE(run_until([&] { return texts.size() == 1; }));
  EXPECT_EQ(texts[0], text);
  EXPECT_EQ(from.counters().loaned_messages, 1U);
  EXPECT_EQ(from.counters().staged_messages, 1U);
  EXPECT_EQ(code(from.memory(to.id())), Errc::not_supported);
}

TEST_F(RdmaFastTest, ManyLoansAreAsManyAsArePostedAndSentUpToOneThatCannotBe) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 3, 64);
  std::array<Loan, 8> loans;
  ASSERT_TRUE(run_until([&] { return from.has_space(to.id()); }));
  ASSERT_EQ(from.reserve(to.id(), loans).value(), 3U);
  EXPECT_EQ(code(from.reserve(to.id(), loans)), Errc::again);
  std::array<FilledLoan, 3> filled;
  for (std::size_t n = 0; n < 3; ++n) {
    std::ranges::copy(bytes("abc").subspan(n, 1), loans[n].room.begin());
    filled[n] = {.loan = loans[n], .length = 1};
  }
  filled[2].length = 65;
  EXPECT_EQ(from.commit(filled).value(), 2U);
  EXPECT_EQ(code(from.commit(std::span(filled).last(1))), Errc::invalid_value);
  filled[2].length = 1;
  EXPECT_EQ(from.commit(std::span(filled).last(1)).value(), 1U);
  ASSERT_TRUE(run_until([&] { return texts.size() == 3; }));
  EXPECT_EQ(texts, std::vector<std::string>({"a", "b", "c"}));
}

TEST_F(RdmaFastTest, MemoryIsNotHandedOverToAnotherMachine) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  Buffer* const buffer = here.data(0, "stays here");
  EXPECT_EQ(code(from.hand_over(to.id(), *buffer)), Errc::not_supported);
  EXPECT_EQ(from.handed_over(), 0U);
  EXPECT_EQ(code(to.give_back({})), Errc::invalid_value);
  std::ignore = buffer->drop_reference();
}

TEST_F(RdmaFastTest, OtherWaysOfCopyingAreNotToBeHad) {
  for (const DataWay way : {DataWay::kStaged, DataWay::kCma, DataWay::kView}) {
    auto made = Consumer::create(server.connection(), there.map()).value();
    const auto nothing = [](ReceiveTask&) {};
    made->configure_receive(4, nothing, nothing).value();
    made->set_way(way).value();
    engine->connect(*made).value();
    EXPECT_EQ(code(made->start()), Errc::not_supported);
    EXPECT_EQ(made->poll_views({}), 0U);
    EXPECT_EQ(code(made->release_views(1)), Errc::not_supported);
    EXPECT_EQ(made->state(), ContextState::kIdle);
    EXPECT_TRUE(Consumer::destroy(made));
  }
}

// The consumer's machine has no memory for more lanes than there are.
TEST_F(RdmaFastTest, WhoWaitsForAWayThatIsRefusedIsToldToSendAndItsSendSaysWhy) {
  Consumer& to = consumer(there, {.depth = 1024});  // Of the size that one lane is made ahead.
  post_rooms(to, there, 2, 64);
  fabric().refuse_targets(true);
  Producer& first = producer();
  Producer& second = producer();
  const auto send = [&](Producer& from) {
    return code(submit(from, to.id(), here.data(0, "hello")));
  };
  EXPECT_EQ(send(first), Errc::skipped) << "it has the one there is";
  ASSERT_EQ(send(second), Errc::again);
  ASSERT_TRUE(second.request_space(to.id()));
  EXPECT_TRUE(run_until([&] { return spaces == 1; }));
  EXPECT_EQ(send(second), Errc::no_memory);
  fabric().refuse_targets(false);
  EXPECT_TRUE(run_until([&] { return send(second) == Errc::skipped; })) << "it asks anew";
  EXPECT_TRUE(run_until([&] { return texts.size() == 2; }));
}

// The connections' engine never runs meanwhile: only who asks for room runs his own.
TEST_F(RdmaFastTest, ManyMessagesByArraysArriveInOrder) {
  constexpr std::size_t kMessages = 5000;
  Consumer& to = consumer(there, {.depth = 32});
  Producer& from = producer();
  std::vector<Buffer*> rooms;
  for (std::size_t n = 0; n < 32; ++n) rooms.push_back(there.room(n * 512, 512));
  ASSERT_EQ(to.post(rooms).value(), 32U);
  std::size_t next = 0, taken = 0;
  std::vector<std::string> words;
  for (std::size_t n = 0; n < kMessages; ++n) words.push_back(pattern(1 + n % 300, n % 64));
  const Deadline deadline;
  while (taken < kMessages && !deadline.passed()) {
    std::array<Outgoing, 8> batch;
    const std::size_t count = std::min(batch.size(), kMessages - next);
    for (std::size_t n = 0; n < count; ++n)
      batch[n] = {.data = bytes(words[next + n]), .immediate = {}};
    if (count != 0) next += from.send(to.id(), std::span(batch).first(count)).value_or(0);
    engine->progress();
    std::array<Received, 16> received_now;
    const std::size_t got = to.poll(received_now);
    for (std::size_t n = 0; n < got; ++n) {
      ASSERT_EQ(contents(*received_now[n].buffer), words[taken]);
      ++taken;
      received_now[n].buffer->reset_data_length();
      ASSERT_EQ(to.post(std::array{received_now[n].buffer}).value(), 1U);
    }
  }
  EXPECT_EQ(taken, kMessages);
  ASSERT_TRUE(to.stop());
  std::array<Buffer*, 32> back{};
  std::size_t returned_rooms = 0;
  ASSERT_TRUE(run_until([&] {
    to.poll(std::span<Received>());
    std::array<Received, 4> none;
    to.poll(none);
    const std::size_t count = to.take_back(back);
    for (std::size_t n = 0; n < count; ++n) std::ignore = back[n]->drop_reference();
    returned_rooms += count;
    return to.state() == ContextState::kIdle;
  }));
  EXPECT_EQ(returned_rooms, 32U);
}

// An array that is longer than its staging, and a buffer for it.
struct RdmaLongArrayTest : RdmaFastTest {
  RdmaLongArrayTest() { post(to, room.room(0, text.size())); }
  ~RdmaLongArrayTest() override { end_all(); }

  const std::string text = pattern(std::size_t{3} << 20U);
  Memory room{text.size()};
  Consumer& to = consumer(room);
  Producer& from = producer();
  const std::array<Outgoing, 1> message{Outgoing{.data = bytes(text), .immediate = {}}};
};

TEST_F(RdmaLongArrayTest, SaysHowItEnded) {
  fabric().hold();
  ASSERT_EQ(from.send(to.id(), message), 1U);
  EXPECT_EQ(code(from.ending(to.id())), Errc::in_progress);
  fabric().release();
  ASSERT_TRUE(run_until([&] { return !from.busy(to.id()) && texts.size() == 1; }));
  EXPECT_TRUE(texts[0] == text);
  EXPECT_TRUE(from.ending(to.id()));
  post(to, room.room(0, text.size()));
  fabric().hold();
  ASSERT_EQ(from.send(to.id(), message), 1U);
  ASSERT_TRUE(from.abort());
  fabric().release();
  ASSERT_TRUE(run_until_idle(from));
  EXPECT_EQ(code(from.ending(to.id())), Errc::shutdown);
}

TEST_F(RdmaLongArrayTest, BehindOneThatTheNetworkDoesNotCarryNoneIsSentAndNoneWaits) {
  fabric().fail_work_request(1, transport::rdma::CompletionStatus::kRetryExceeded);
  ASSERT_EQ(from.send(to.id(), message), 1U);
  ASSERT_TRUE(run_until([&] { return !from.busy(to.id()); }));
  EXPECT_EQ(code(from.ending(to.id())), Errc::connection_reset);
  EXPECT_EQ(code(from.send(to.id(), message)), Errc::connection_reset);
}

TEST_F(RdmaFastTest, AProducerThatStopsAndWaitsForAnAcknowledgementSleeps) {
  Consumer& to = consumer(there);
  Producer& from = producer();
  post_rooms(to, there, 1, 64);
  fabric().hold();
  ASSERT_TRUE(submit(from, to.id(), here.data(0, "on its way")));
  ASSERT_EQ(from.stop(), ContextState::kStopping);
  EXPECT_TRUE(falls_asleep(*engine, 64));
  fabric().release();
  EXPECT_TRUE(run_until_idle(from));
  EXPECT_EQ(sent.size(), 1U);
}

}  // namespace
}  // namespace comch::test
