// What becomes of buffers that are handed over when their producer ends: stop() waits for them,
// abort() does not.
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct HandOverEndTest : FastPair {
  ~HandOverEndTest() override {
    for (ReceiveTask* task : received) {
      if (Buffer* room = task->buffer()) std::ignore = room->drop_reference();
      std::ignore = task->free();
    }
    end_all();
  }
  // A message of the producer's that the consumer has, and holds.
  HandedOver held() {
    post_rooms(to, there, 1, 64);
    return hand_over(from, to, *buffer);
  }
  void stop_and_wait_in_vain() {
    EXPECT_EQ(from.stop().value(), ContextState::kStopping);
    settle(*engine);
    EXPECT_EQ(from.state(), ContextState::kStopping);
    EXPECT_TRUE(handed_back.empty());
    EXPECT_EQ(from.handed_over(), 1U);
  }
  // `why` it is not given back.
  void ends_and_returns(Errc why = Errc::skipped) {
    EXPECT_TRUE(run_until_idle(from));
    EXPECT_EQ(handed_back, std::vector{buffer});
    ASSERT_EQ(handed_back_how.size(), 1U);
    EXPECT_EQ(code(handed_back_how[0]), why);
    EXPECT_EQ(from.handed_over(), 0U);
    std::ignore = buffer->drop_reference();
  }
  // The message is its consumer's no more, who goes on.
  void abort_without(const HandedOver& message) {
    ASSERT_TRUE(from.abort());
    ends_and_returns(Errc::shutdown);
    ASSERT_TRUE(run_until([&] { return code(to.give_back(message)) == Errc::invalid_value; }));
    EXPECT_EQ(to.state(), ContextState::kRunning);
  }

  void start_late(Memory& memory, const Consumer::Handler& done) {
    late = consumer_apart(*own, memory, done, done);
  }
  void end_late() {
    EXPECT_TRUE(late->stop());
    EXPECT_TRUE(run_until([&] {
      own->progress();
      return late->state() == ContextState::kIdle;
    }));
  }

  const std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  std::unique_ptr<Consumer> late;
  Consumer& to = consumer(there);
  Producer& from = producer();
  Buffer* const buffer = here.data(0, "mine");
};

TEST_F(HandOverEndTest, AProducerThatWaitsForWhatItsConsumerHoldsSleeps) {
  const HandedOver message = held();
  stop_and_wait_in_vain();
  EXPECT_TRUE(falls_asleep(*engine, 64));
  EXPECT_TRUE(to.give_back(message));
  ends_and_returns();
}

TEST_F(HandOverEndTest, ALoanStaysWritableBesideItThoughTheProducerIsAborted) {
  post_rooms(to, there, 2, 64);
  keep_received();
  const Loan loan = from.reserve(to.id()).value();
  EXPECT_TRUE(from.hand_over(to.id(), *buffer));
  ASSERT_TRUE(run_until([&] { return received.size() == 1; }));
  ProducerTask* const unfreed = from.allocate_send(nullptr, {}, to.id()).value();
  EXPECT_EQ(from.abort().value(), ContextState::kStopping);
  EXPECT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  EXPECT_TRUE(to.stop());
  EXPECT_TRUE(run_until([&] { return client.consumers.empty(); }));
  std::ranges::fill(loan.room, std::byte{'y'});
  EXPECT_TRUE(from.abandon(loan));
  EXPECT_TRUE(unfreed->free());
  ends_and_returns(Errc::shutdown);
}

TEST_F(HandOverEndTest, AProducerThatStopsWaitsUntilItsConsumerGivesBack) {
  const HandedOver message = held();
  stop_and_wait_in_vain();
  EXPECT_EQ(text_of(message.bytes), "mine");
  EXPECT_TRUE(to.give_back(message));
  ends_and_returns();
}

TEST_F(HandOverEndTest, AndForWhatTheConsumerHasNotLookedAt) {
  start_late(there, [](ReceiveTask&) {});
  const std::array<Buffer*, 1> room{there.room(0, 64)};
  ASSERT_EQ(late->post(room), 1U);
  ASSERT_TRUE(from.hand_over(late->id(), *buffer));
  stop_and_wait_in_vain();
  std::array<Received, 1> messages;
  ASSERT_TRUE(until(*own, [&] { return late->poll(messages) == 1U; }));
  EXPECT_EQ(text_of(messages[0].handed_over.bytes), "mine");
  EXPECT_TRUE(late->give_back(messages[0].handed_over));
  ends_and_returns();
  std::ignore = messages[0].buffer->drop_reference();
  end_late();
}

TEST_F(HandOverEndTest, TheEndOfTheConsumerIsTheEndOfTheWait) {
  held();
  stop_and_wait_in_vain();
  ASSERT_TRUE(received[0]->free());
  received.clear();
  ASSERT_TRUE(to.stop());
  ends_and_returns(Errc::connection_reset);
}

TEST_F(HandOverEndTest, AConsumerThatEndsTellsOfWhatItsProducerHasBack) {
  start_late(there, [](ReceiveTask&) {});
  const std::array<Buffer*, 1> room{there.room(0, 64)};
  ASSERT_EQ(late->post(room), 1U);
  ASSERT_TRUE(from.hand_over(late->id(), *buffer));
  ASSERT_TRUE(late->stop());
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  EXPECT_EQ(code(handed_back_how[0]), Errc::connection_reset);
  std::array<Received, 1> messages;
  ASSERT_TRUE(until(*own, [&] { return late->poll(messages) == 1U; }));
  EXPECT_TRUE(messages[0].handed_over);
  EXPECT_TRUE(until(*own, [&] { return late->state() == ContextState::kIdle; }));
  std::ignore = room[0]->drop_reference();
  ASSERT_TRUE(from.stop());
  ends_and_returns(Errc::connection_reset);
}

TEST_F(HandOverEndTest, TheLossOfThePeerIsTheEndOfTheWait) {
  held();
  stop_and_wait_in_vain();
  ASSERT_TRUE(server->abort());
  ends_and_returns(Errc::connection_reset);
}

TEST_F(HandOverEndTest, WhatWasGivenBackAheadOfTheLossOfThePeerIsSaidToBe) {
  const HandedOver message = held();
  stop_and_wait_in_vain();
  ASSERT_TRUE(to.give_back(message));
  ASSERT_TRUE(server->abort());
  ends_and_returns();
}

TEST_F(HandOverEndTest, AndAheadOfAnAbort) {
  const HandedOver message = held();
  ASSERT_TRUE(to.give_back(message));
  ASSERT_TRUE(from.abort());
  ends_and_returns();
}

TEST_F(HandOverEndTest, WhoAbortsDoesNotWait) {
  const HandedOver message = held();
  abort_without(message);
}

TEST_F(HandOverEndTest, NorWhoAbortsBecauseTheWaitIsTooLong) {
  const HandedOver message = held();
  stop_and_wait_in_vain();
  abort_without(message);
}

TEST_F(HandOverEndTest, WhatIsGivenBackBehindAnAbortIsReturnedOnce) {
  const HandedOver message = held();
  ProducerTask* const task = from.allocate_send(nullptr, bytes("never sent"), to.id()).value();
  ASSERT_TRUE(from.abort());
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  std::ignore = to.give_back(message);
  settle(*engine);
  EXPECT_EQ(from.state(), ContextState::kStopping) << "a task is out";
  ASSERT_TRUE(task->free());
  ends_and_returns(Errc::shutdown);
}

TEST_F(HandOverEndTest, AMessageThatIsNotTakenTimesOutAndLeavesTheHandedOverWhereTheyAre) {
  constexpr std::size_t kLong = std::size_t{9} << 20U;
  Memory room{kLong + 64};
  Memory data{kLong};
  std::optional<HandedOver> message;
  start_late(room, [&](ReceiveTask& task) {
    if (task.handed_over()) message = task.handed_over();
    if (Buffer* posted = task.buffer()) std::ignore = posted->drop_reference();
    std::ignore = task.free();
  });
  post(*late, room.room(kLong, 64));
  post(*late, room.room(0, kLong));
  ASSERT_TRUE(from.hand_over(late->id(), *buffer));
  ASSERT_TRUE(submit(from, late->id(), data.data(0, pattern(kLong))));
  ASSERT_TRUE(from.stop());
  ASSERT_TRUE(run_until([&] { return !sent.empty(); }));
  EXPECT_EQ(sent[0].error().code, Errc::time_out);
  settle(*engine);
  EXPECT_EQ(from.state(), ContextState::kStopping);
  EXPECT_TRUE(handed_back.empty());
  ASSERT_TRUE(until(*own, [&] { return message.has_value(); }));
  EXPECT_EQ(text_of(message->bytes), "mine");
  EXPECT_TRUE(late->give_back(*message));
  ends_and_returns();
  end_late();
}

}  // namespace
}  // namespace comch::test
