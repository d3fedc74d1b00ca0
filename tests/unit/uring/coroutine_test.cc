// AwaitableRing: coroutines that wait for operations.
#include "comch/uring/coroutine.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct CoroutineTest : RingPair {
  CoroutineTest() : RingPair(Place::kOwnRing, {.entries = 8, .completions = 16}) {}

  void run() {
    const Deadline deadline;
    while (awaitable.waiting() != 0 && !deadline.passed()) {
      ASSERT_TRUE(awaitable.turn(100ms)) << "no turn";
    }
    EXPECT_EQ(awaitable.waiting(), 0U);
  }

  AwaitableRing awaitable{*ring};
  std::vector<std::string> texts;
  std::vector<std::int64_t> results;
};

Task receive_all(CoroutineTest& test, int count) {
  Buffer* const buffer = test.room(0);
  for (int n = 0; n < count; ++n) {
    const Completion received = co_await test.awaitable.receive(*test.from, *buffer);
    test.texts.push_back(text_of(received.contents()));
    buffer->reset_data_length();
  }
  std::ignore = buffer->drop_reference();
}

Task send_all(CoroutineTest& test, int count) {
  for (int n = 0; n < count; ++n) {
    const std::string text = std::to_string(n);
    const Completion sent = co_await test.awaitable.send(*test.to, bytes(text));
    test.results.push_back(sent.res);
  }
}

TEST_F(CoroutineTest, OneSendsWhatTheOtherReceives) {
  receive_all(*this, 100);
  send_all(*this, 100);
  run();
  ASSERT_EQ(texts.size(), 100U);
  EXPECT_EQ(texts.front(), "0");
  EXPECT_EQ(texts.back(), "99");
  EXPECT_EQ(std::ranges::count_if(results, [](std::int64_t r) { return r <= 0; }), 0);
}

Task sleep(CoroutineTest& test, std::chrono::microseconds time) {
  const Completion slept = co_await test.awaitable.sleep(time);
  test.results.push_back(slept.res);
}

TEST_F(CoroutineTest, MoreThanTheRingHasPlacesForWaitInLine) {
  for (int n = 0; n < 1000; ++n) sleep(*this, std::chrono::microseconds(n % 50));
  EXPECT_EQ(awaitable.waiting(), 1000U);
  run();
  EXPECT_EQ(results, std::vector<std::int64_t>(1000, -ETIME));
}

Task receive_one(CoroutineTest& test, std::size_t n) {
  Buffer* const buffer = test.room(n);
  const Completion received = co_await test.awaitable.receive(*test.from, *buffer);
  test.texts.push_back(text_of(received.contents()));
  std::ignore = buffer->drop_reference();
}

TEST_F(CoroutineTest, WhoWaitsInLineBeginsBeforeTheTurnSleepsIfSubmittingMakesPlacesForIt) {
  // As many as may be prepared at a time: what they wait for is behind them in the line.
  for (std::size_t n = 0; n < 8; ++n) receive_one(*this, n);
  send_all(*this, 8);
  EXPECT_GT(awaitable.turn(patience()).value(), 0U);
  run();
  EXPECT_EQ(texts, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST_F(CoroutineTest, WhoHasNoPlaceAtAllDoesNotKeepATurnFromItsTime) {
  for (std::size_t n = 0; n < 16; ++n) receive_one(*this, n);
  send_all(*this, 1);  // All 16 places are held.
  EXPECT_EQ(awaitable.turn(0ms).value(), 0U);
  ASSERT_TRUE(consumer->abort());
  run();
  EXPECT_EQ(texts, std::vector<std::string>(16));
}

Task talk(CoroutineTest& test) {
  std::array<std::byte, 64> room{};
  const Completion sent = co_await test.awaitable.ctrl_send(*test.at_client, bytes("hello"));
  const Completion heard = co_await test.awaitable.ctrl_receive(*test.at_server, room);
  test.results = {sent.res, heard.res};
  test.texts = {text_of(heard.contents())};
}

TEST_F(CoroutineTest, ControlMessagesAreAwaitedToo) {
  talk(*this);
  run();
  EXPECT_EQ(results, (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(texts, std::vector<std::string>{"hello"});
}

Task write_in_place(CoroutineTest& test, std::string_view text) {
  const Completion reserved = co_await test.awaitable.reserve(*test.to);
  const Loan loan = reserved.loan(test.consumer->id());
  std::ranges::copy(bytes(text), loan.room.begin());
  const Completion sent = co_await test.awaitable.commit(*test.to, loan, text.size());
  test.results = {reserved.res, sent.res};
}

TEST_F(CoroutineTest, ALoanIsWrittenBetweenTwoWaits) {
  receive_all(*this, 1);
  write_in_place(*this, "in place");
  run();
  EXPECT_EQ(results, (std::vector<std::int64_t>{kRoom, 8}));
  EXPECT_EQ(texts, std::vector<std::string>{"in place"});
}

TEST_F(CoroutineTest, AFailureIsAResultAndNoException) {
  send_all(*this, 1);  // Nothing is posted: it waits.
  EXPECT_EQ(awaitable.turn(0ms).value(), 0U);
  EXPECT_TRUE(ring->unregister(*to));
  run();
  EXPECT_EQ(results, std::vector<std::int64_t>{-ECANCELED});
}

Task other_operation(CoroutineTest& test) {
  const Completion done = co_await test.awaitable.operation([](Submission& s) { s.prep_nop(); });
  test.results = {done.res};
}

TEST_F(CoroutineTest, AnyOperationCanBeAwaitedThatHasOneCompletion) {
  other_operation(*this);
  run();
  EXPECT_EQ(results, std::vector<std::int64_t>{0});
}

Task cancel(CoroutineTest& test, auto& multishot) {
  const Completion cancelled = co_await multishot.cancel();
  test.results.push_back(cancelled.res);
}

Task answer(CoroutineTest& test, std::string text) {
  const Completion slept = co_await test.awaitable.sleep(1us);
  test.results.push_back(slept.res);
  test.texts.push_back(text);
}

Task turn_again(CoroutineTest& test) {
  co_await test.awaitable.sleep(1us);
  const auto again = test.awaitable.turn(0s);
  test.results.push_back(again ? 0 : static_cast<std::int64_t>(again.error().code));
}

TEST_F(CoroutineTest, WhoIsResumedTakesNoTurn) {
  turn_again(*this);
  run();
  EXPECT_EQ(results, std::vector<std::int64_t>{static_cast<std::int64_t>(Errc::bad_state)});
}

TEST_F(CoroutineTest, WhatOneAwaitsAnotherMayEnd) {
  auto night = awaitable.sleep(8h);
  [](CoroutineTest& test, auto& awaited) -> Task {
    const Completion woken = co_await awaited;
    test.results.push_back(woken.res);
  }(*this, night);
  [](CoroutineTest& test, auto& awaited) -> Task {
    const Completion done = co_await test.awaitable.cancel(awaited);
    test.results.push_back(done.res);
  }(*this, night);
  run();
  std::ranges::sort(results);
  EXPECT_EQ(results, (std::vector<std::int64_t>{-ECANCELED, 0}));
}

// A coroutine that lets exceptions out of it.
struct Leaky {
  struct promise_type {
    Leaky get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
};

Leaky throw_at(std::int64_t result, AwaitableRing& ring, const Submission*& begun) {
  const Completion done = co_await ring.operation([&](Submission& submission) {
    submission.prep_nop();
    begun = &submission;
  });
  if (done.res == result) throw std::runtime_error("nobody catches this");
}

TEST_F(CoroutineTest, AnExceptionOutOfWhoIsResumedEndsTheProgram) {
  const Submission* begun = nullptr;
  throw_at(7, awaitable, begun);
  Completion completion;
  completion.user_data = begun->user_data;
  completion.res = 7;
  EXPECT_DEATH(awaitable.resume(completion), "nobody catches this");
  run();
}

TEST_F(CoroutineTest, EachCompletionOfAMultishotMayBeginACoroutine) {
  std::vector<Buffer*> pool{room(0), room(1)};
  std::int64_t end = 0;
  Multishot messages(
      awaitable, [&](Submission& s) { s.prep_post_recv_multishot(*from, pool); },
      [&](const Completion& c) {
        if ((c.flags & kMore) == 0) {
          end = c.res;
        } else {
          answer(*this, text_of(c.contents()));
        }
      });
  send_all(*this, 100);
  const Deadline deadline;
  while (texts.size() < 100 && !deadline.passed()) ASSERT_TRUE(awaitable.turn(100ms));
  ASSERT_EQ(texts.size(), 100U);
  EXPECT_EQ(texts.back(), "99");
  EXPECT_EQ(results.size(), 200U);
  EXPECT_EQ(awaitable.waiting(), 1U) << "the multishot itself";
  EXPECT_FALSE(messages.is_over());
  results.clear();
  cancel(*this, messages);
  // Its buffers come back when the consumer ends; until then it is ending.
  EXPECT_TRUE(awaitable.turn(100ms));
  ASSERT_TRUE(consumer->abort());
  run();
  EXPECT_EQ(results, std::vector<std::int64_t>{0});
  EXPECT_TRUE(messages.is_over());
  EXPECT_LT(end, 0);
  for (Buffer* buffer : pool) std::ignore = buffer->drop_reference();
}

}  // namespace
}  // namespace comch::uring::test
