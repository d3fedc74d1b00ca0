// Order: links, drains, cancels, timeouts and quiet successes, on a ring of real ends.
#include <gtest/gtest.h>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct OrderTest : RingPair {};
using Numbers = std::vector<std::uint64_t>;

TEST_F(OrderTest, LinksBeginOneAfterTheOtherAndAFailureEndsTheChain) {
  next(1, kLink).prep_timeout(1ms);
  next(2).prep_nop();
  next(3, kHardLink).prep_timeout(1ms);
  next(4, kLink).prep_nop();
  next(5).prep_nop();
  next(6).prep_nop();
  wait(6);
  EXPECT_EQ(order(), (Numbers{6, 1, 2, 3, 4, 5}));
  EXPECT_EQ(res(1), -ETIME);
  EXPECT_EQ(res(2), -ECANCELED);
  EXPECT_EQ(res(3), -ETIME);
  EXPECT_EQ(res(4), 0);
}

TEST_F(OrderTest, AChainEndsWithSubmit) {
  next(1, kLink).prep_timeout(1ms);
  ring->submit().value();
  next(2).prep_nop();
  wait(2);
  EXPECT_EQ(order(), (Numbers{2, 1}));
  EXPECT_EQ(res(2), 0);
}

TEST_F(OrderTest, ADrainWaitsForAllBeforeItAndHoldsAllBehindIt) {
  next(1).prep_timeout(2ms);
  send("held by room", 2);
  next(3, kDrain).prep_nop();
  next(4).prep_nop();
  ring->submit().value();
  next(5).prep_nop();
  ring->submit().value();
  reap();
  if (seen.empty()) wait(1);  // On a busy machine it is due by now.
  EXPECT_EQ(order(), Numbers{1});
  ASSERT_TRUE(ring->unregister(*to));  // What waited is over.
  reap();
  EXPECT_EQ(order(), (Numbers{1, 2, 3, 4, 5}));
}

TEST_F(OrderTest, CancelFindsWhatWaitsAndIsHeldAndSaysWhatItDoesNotFind) {
  send("waits", 1);
  next(2).prep_timeout(1h);
  next(3, kDrain).prep_nop();
  next(4).prep_cancel(1);
  ring->submit().value();
  reap();
  EXPECT_TRUE(seen.empty()) << "a cancel that is held cancels nothing";
  ASSERT_TRUE(ring->unregister(*to));
  reap();
  EXPECT_EQ(order(), Numbers{1});
}

TEST_F(OrderTest, ACancelFindsNothingThatWasSubmittedBehindIt) {
  next(1, kHardLink).prep_cancel(7);
  next(7).prep_nop();
  next(2).prep_timeout(1ms);
  next(3, kDrain).prep_cancel(7);
  next(7).prep_nop();
  wait(5);
  EXPECT_EQ(res(1), -ENOENT) << "of its chain";
  EXPECT_EQ(res(3), -ENOENT) << "held back by the same drain";
  for (const Seen& s : seen) EXPECT_TRUE(s.user_data != 7 || s.res == 0);

  next(4, kHardLink).prep_timeout(1ms);
  next(5).prep_cancel(7);
  next(7).prep_timeout(20ms);
  wait(3);
  EXPECT_EQ(res(5), -ENOENT) << "it runs since";
  EXPECT_EQ(res(7), -ETIME);

  next(4, kHardLink).prep_timeout(1ms);
  next(7, kHardLink).prep_timeout(1h);
  next(5).prep_nop();
  next(6, kHardLink).prep_timeout(5ms);
  next(8).prep_cancel(7);
  wait(5);
  EXPECT_EQ(res(7), -ECANCELED) << "what was submitted ahead of it is found";
  EXPECT_EQ(res(8), 0);
}

TEST_F(OrderTest, CancelOfWaitingDoneUnknownAndRunningOperations) {
  post(1);
  next(1).prep_reserve(*to);  // Nothing is posted now.
  send("waits", 2);
  next(3).prep_timeout(1h);
  next(4).prep_nop();
  for (const std::uint64_t target : {2U, 3U, 4U, 99U, 1000U})
    next(500 + target).prep_cancel(target);
  wait(9);
  EXPECT_EQ(res(502), 0);
  EXPECT_EQ(res(2), -ECANCELED);
  EXPECT_EQ(res(503), 0);
  EXPECT_EQ(res(3), -ECANCELED);
  EXPECT_EQ(res(504), -ENOENT) << "it is done";
  EXPECT_EQ(res(599), -ENOENT);
  EXPECT_EQ(res(1500), -EALREADY) << "it is posted";
}

TEST_F(OrderTest, TimeoutsEndInTheOrderInWhichTheyAreDue) {
  next(1).prep_timeout(3ms);
  next(2).prep_timeout(1ms);
  next(3).prep_timeout(-1ms);
  next(4).prep_timeout(2ms);
  wait(4);
  EXPECT_EQ(order(), (Numbers{3, 2, 4, 1}));
}

TEST_F(OrderTest, NoValueOfUserDataIsReserved) {
  post(2, 0);
  send("a", 0);
  send("b", ~0ULL);
  wait(4);
  EXPECT_EQ(std::ranges::count(order(), 0U), 2);
  EXPECT_EQ(std::ranges::count(order(), ~0ULL), 1);
  next(~0ULL).prep_timeout(1h);
  next(0).prep_cancel(~0ULL);
  wait(2);
  EXPECT_EQ(res(~0ULL), -ECANCELED);
  EXPECT_EQ(res(0), 0);
}

TEST_F(OrderTest, SuccessesThatNobodyWantsToHearOfHoldNoPlace) {
  post(4);
  const std::string text = pattern(kRoom + 1);
  send(text, 2, kSkipSuccess);
  for (int n = 0; n < 4; ++n) send("quiet", 1, kSkipSuccess);
  wait(5);
  EXPECT_EQ(find(1), nullptr);
  EXPECT_EQ(res(2), -EINVAL) << "failures are told";
  // A thousand more operations than there are places.
  for (std::uint32_t n = 0; n < 1000; ++n) {
    next(1, kSkipSuccess).prep_nop();
    if (ring->space() == 0) ring->submit().value();
  }
  ring->submit().value();
  EXPECT_EQ(ring->ready(), 0U);
}

}  // namespace
}  // namespace comch::uring::test
