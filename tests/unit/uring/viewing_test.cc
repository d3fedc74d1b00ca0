// Viewing: messages that are looked at where they lie.
#include <deque>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct ViewingTest : RingPair {
  static constexpr std::uint64_t kLook = 1, kCancel = 2, kSend = 100;

  ViewingTest() : RingPair(Place::kOwnRing, {.entries = 16, .completions = 64}, DataWay::kView) {}

  void look_at(std::uint32_t most, std::uint8_t flags = 0) {
    next(kLook, flags).prep_view_multishot(*from, most);
    ring->submit().value();
  }
  void send_numbers(int count) {
    for (int n = 0; n < count; ++n) {
      texts.push_back("message " + std::to_string(n));
      send(texts.back(), kSend, kSkipSuccess);
      ring->submit().value();
    }
  }
  std::string viewed() const { return text_of(ring->peek()->viewed()); }

  std::deque<std::string> texts;
};

TEST_F(ViewingTest, AMessageIsShownWhereItLiesUntilItIsAdvancedOver) {
  look_at(4);
  next(kSend, kSkipSuccess).prep_send_imm(*to, bytes("data"), bytes("beside"));
  ASSERT_EQ(ring->submit_and_wait(1, 10s).value_or(0), 1U);
  const Completion& view = *ring->peek();
  EXPECT_EQ(view.user_data, kLook);
  EXPECT_EQ(view.res, 4);
  EXPECT_EQ(view.flags, kMore | kView);
  EXPECT_EQ(view.source(), from);
  EXPECT_EQ(view.producer, producer->id());
  EXPECT_EQ(text_of(view.viewed()), "data");
  EXPECT_EQ(text_of(view.immediate()), "beside");
  ring->advance(1);
  EXPECT_EQ(consumer->posted(), 0U);
}

TEST_F(ViewingTest, NoMoreAreShownThanWereAskedForAndTheOthersComeInOrder) {
  look_at(3);
  send_numbers(10);
  int shown = 0;
  while (shown < 10) {
    ASSERT_GE(ring->submit_and_wait(1, 10s).value_or(0), 1U);
    EXPECT_LE(ring->ready(), 3U);
    ASSERT_EQ(viewed(), "message " + std::to_string(shown++));
    ring->advance(1);
  }
  EXPECT_EQ(ring->peek(), nullptr);
}

// Sends wait for room, which is the consumer's depth, and nothing is lost.
TEST_F(ViewingTest, WhatIsNotAdvancedOverHoldsSendersBack) {
  look_at(32);
  send_numbers(24);
  EXPECT_EQ(ring->submit_and_wait(kDepth, 10s).value_or(0), kDepth);
  EXPECT_EQ(ring->submit_and_wait(24, 10ms).value_or(0), kDepth) << "no slot is free";
  for (int n = 0; n < 24; ++n) {
    ASSERT_GE(ring->submit_and_wait(1, 10s).value_or(0), 1U);
    EXPECT_EQ(viewed(), "message " + std::to_string(n));
    ring->advance(1);
  }
}

TEST_F(ViewingTest, ItEndsWhenItIsCancelledAndWhatIsShownStaysValid) {
  look_at(4);
  send_numbers(2);
  ASSERT_EQ(ring->submit_and_wait(2, 10s).value_or(0), 2U);
  next(kCancel).prep_cancel(kLook);
  ring->submit().value();
  EXPECT_EQ(ring->unregister(*from).error().code, Errc::in_use);
  look_at(4);
  EXPECT_EQ(viewed(), "message 0");
  ring->advance(1);
  EXPECT_EQ(viewed(), "message 1");
  ring->advance(1);
  reap();
  EXPECT_EQ(seen.at(0).res, -ECANCELED);
  EXPECT_EQ(seen.at(1).user_data, kCancel);
  EXPECT_EQ(seen.at(2).res, -EBUSY) << "views were not advanced over";
  EXPECT_EQ(ring->space(), 16U);
  look_at(4);
  send_numbers(1);
  ASSERT_EQ(ring->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(viewed(), "message 0");
  ring->advance(1);
}

TEST_F(ViewingTest, MistakesAreResults) {
  const auto result_of = [&](std::uint32_t most, std::uint8_t flags) {
    seen.clear();
    next(kLook, flags).prep_view_multishot(*from, most);
    if (flags != 0) next(kCancel).prep_nop();
    ring->submit().value();
    reap();
    return res(kLook);
  };
  EXPECT_EQ(result_of(0, 0), -EINVAL);
  EXPECT_EQ(result_of(1, kLink), -EINVAL);
  EXPECT_EQ(result_of(64, 0), -ENOBUFS);
  look_at(4);
  EXPECT_EQ(result_of(4, 0), -EBUSY);
  Buffer* const buffer = room(0);
  next(kPosted).prep_post_recv(*from, buffer);
  wait(1);
  EXPECT_EQ(res(kPosted), -EOPNOTSUPP);
  std::ignore = buffer->drop_reference();
  const std::string text(113, 'x');
  send(text, kSend);
  wait(1);
  EXPECT_EQ(res(kSend), -EINVAL) << "longer than a slot";
}

TEST_F(ViewingTest, ALostPeerShowsWhatHasArrivedAndEndsIt) {
  look_at(2);
  send_numbers(3);
  ASSERT_TRUE(producer->abort());
  ASSERT_TRUE(client->abort());
  const Deadline deadline;
  while (find(kLook) == nullptr || seen.back().res >= 0) {
    ASSERT_FALSE(deadline.passed());
    std::ignore = ring->submit_and_wait(1, 100ms);
    reap();
  }
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen.back().res, -ECONNRESET);
  EXPECT_TRUE(ring->unregister(*from));
}

TEST(ViewingOfOtherWays, IsNotSupported) {
  struct Plain : RingPair {
    void TestBody() override {}
  } pair;
  pair.next(ViewingTest::kLook).prep_view_multishot(*pair.from, 4);
  pair.ring->submit().value();
  pair.reap();
  EXPECT_EQ(pair.res(ViewingTest::kLook), -EOPNOTSUPP);
}

}  // namespace
}  // namespace comch::uring::test
