// Who answers: that the carrier is told of each send, whichever way it goes, and of each message.
#include "engine/engine.h"
#include "unit/comch/fast_pair.h"

namespace comch::test {
namespace {

struct AnsweringTest : FastPair {
  AnsweringTest() { post_rooms(to, there, 8, 64); }

  transport::Reactor& reactor() { return engine::Engine::of(*engine); }
  bool knows_where_the_next_is() { return reactor().next_answer().slot() != nullptr; }
  // As one that has answered the message before.
  bool is_taken_for_one_that_answers() {
    return reactor().patience().is_near(&engine::Engine::of(*engine));
  }
  void expect_answered() {
    EXPECT_TRUE(knows_where_the_next_is());
    const std::size_t before = texts.size();
    ASSERT_TRUE(run_until([&] { return texts.size() > before; }));
    EXPECT_FALSE(knows_where_the_next_is()) << "a message is found: it is asked for";
    EXPECT_TRUE(is_taken_for_one_that_answers());
  }

  Consumer& to = consumer(there);
  Producer& from = producer();
  const ConsumerId id = to.id();
};

TEST_F(AnsweringTest, NothingIsKnownOfTheNextAnswerBeforeTheFirst) {
  EXPECT_FALSE(knows_where_the_next_is());
  EXPECT_FALSE(is_taken_for_one_that_answers());
}

TEST_F(AnsweringTest, WhoSendsTasksAnswers) {
  for (int n = 0; n < 3; ++n) {
    ASSERT_TRUE(submit(from, id, here.data(0, "answer")));
    // The first one makes the lane, and goes the long way.
    if (n != 0) expect_answered();
    ASSERT_TRUE(run_until([&] { return texts.size() == static_cast<std::size_t>(n) + 1; }));
  }
}

TEST_F(AnsweringTest, WhoSendsAnArrayOfOneAnswers) {
  const std::array message{Outgoing{.data = bytes("answer"), .immediate = {}}};
  for (int n = 0; n < 3; ++n) {
    ASSERT_EQ(from.send(id, message), 1U);
    expect_answered();
  }
}

TEST_F(AnsweringTest, WhoSendsAnArrayOfSomeAnswers) {
  const Outgoing one{.data = bytes("answer"), .immediate = {}};
  ASSERT_EQ(from.send(id, std::array{one, one, one}), 3U);
  expect_answered();
}

TEST_F(AnsweringTest, WhoSendsAnArrayThatIsNotPlainAnswers) {
  const Outgoing one{.data = bytes("answer"), .immediate = bytes("now")};
  ASSERT_EQ(from.send(id, std::array{one, one}), 2U);
  expect_answered();
}

TEST_F(AnsweringTest, WhoCommitsALoanAnswers) {
  const Loan loan = from.reserve(id).value();
  ASSERT_TRUE(from.commit(loan, 8));
  expect_answered();
}

TEST_F(AnsweringTest, WhoHandsABufferOverAnswers) {
  keep_received();
  ASSERT_TRUE(from.hand_over(id, *here.data(0, "answer")));
  expect_answered();
  ReceiveTask* const task = received.at(0);
  EXPECT_TRUE(to.give_back(task->handed_over()));
  std::ignore = task->buffer()->drop_reference();
  std::ignore = task->free();
  ASSERT_TRUE(run_until([&] { return handed_back.size() == 1; }));
  std::ignore = handed_back[0]->drop_reference();
}

TEST_F(AnsweringTest, WhoOnlyReceivesDoesNotAnswer) {
  const std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  const std::unique_ptr<Producer> apart = producer_apart(*own);
  const std::array message{Outgoing{.data = bytes("answer"), .immediate = {}}};
  for (std::size_t n = 1; n <= 3; ++n) {
    ASSERT_EQ(apart->send(id, message), 1U);
    ASSERT_TRUE(run_until([&] { return texts.size() == n; }));
    EXPECT_FALSE(knows_where_the_next_is());
    EXPECT_FALSE(is_taken_for_one_that_answers());
  }
  apart->abort().value();
  EXPECT_TRUE(until(*own, [&] { return apart->state() == ContextState::kIdle; }));
}

// As across caches: each message is waited for, longer than one within a cache is.
struct AnsweringInTurnTest : AnsweringTest {
  AnsweringInTurnTest() {
    then_received = [this](ReceiveTask& task) {
      taken_of.push_back(reactor().gap().budget(64));
      ASSERT_TRUE(task.buffer()->reset_data_length());
      ASSERT_TRUE(task.submit());
    };
    for (std::uint32_t n = 0; n < transport::Gap::kLearned; ++n) take_turn();
    taken_of.clear();
  }
  void send(std::size_t count) {
    const Outgoing one{.data = bytes("message"), .immediate = {}};
    ASSERT_EQ(from.send(id, std::vector(count, one)), count);
  }
  void take_turn() {
    engine->progress();
    const std::uint64_t now_ns = reactor().now_ns();
    while (reactor().now_ns() < now_ns + transport::Gap::kFar_ns) continue;
    const std::size_t before = texts.size();
    send(1);
    ASSERT_TRUE(run_until([&] { return texts.size() > before; }));
  }

  std::vector<std::size_t> taken_of;  // How many might have been taken, of each message.
};

TEST_F(AnsweringInTurnTest, ATaskComesAloneAndTheOthersBehindIt) {
  send(3);
  ASSERT_TRUE(run_until([&] { return taken_of.size() == 3; }));
  EXPECT_EQ(taken_of, (std::vector<std::size_t>{1, 64, 64}))
      << "nothing was sent behind the first, and so no answer is expected";
}

TEST_F(AnsweringInTurnTest, WhereMessagesAreThereAlreadyNoTaskComesAlone) {
  for (std::uint32_t n = 0; n < transport::Gap::kLearned; ++n) {
    send(2);
    const std::size_t before = texts.size();
    ASSERT_TRUE(run_until([&] { return texts.size() >= before + 2; }));
  }
  taken_of.clear();
  send(3);
  ASSERT_TRUE(run_until([&] { return taken_of.size() == 3; }));
  EXPECT_EQ(taken_of, (std::vector<std::size_t>{64, 64, 64}));
}

}  // namespace
}  // namespace comch::test
