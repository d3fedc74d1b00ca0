// Unregistering: what a link or a drain holds back that names an end which is gone.
#include <gtest/gtest.h>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

using Numbers = std::vector<std::uint64_t>;

struct UnregisterTest : RingPair {
  // 1 is over in a while; then begins what is prepared behind it.
  void hold() { next(1, kHardLink).prep_timeout(1ms); }
  // 2 is held back, and 3 is linked to it.
  void expect_cancelled() {
    wait(3);
    EXPECT_EQ(order(), (Numbers{1, 2, 3}));
    EXPECT_EQ(res(1), -ETIME);
    EXPECT_EQ(res(2), -ECANCELED);
    EXPECT_EQ(res(3), -ECANCELED);
  }
  std::array<std::byte, 64> into{};
};

TEST_F(UnregisterTest, ASendBehindALinkEndsUnbegun) {
  hold();
  send("too late", 2, kLink);
  next(3).prep_nop();
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*to));
  expect_cancelled();
}

TEST_F(UnregisterTest, ASendBehindADrainEndsUnbegun) {
  next(1).prep_timeout(1ms);
  send("too late", 2, kDrain | kLink);
  next(3).prep_nop();
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*to));
  expect_cancelled();
}

TEST_F(UnregisterTest, ASendBehindOneThatWaitsForTheSameDestinationEndsUnbegun) {
  send("waits", 1, kHardLink);
  send("held", 2, kHardLink);
  next(3).prep_nop();
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*to));
  reap();
  EXPECT_EQ(order(), (Numbers{1, 2, 3}));
  EXPECT_EQ(res(1), -ECANCELED);
  EXPECT_EQ(res(2), -ECANCELED);
  EXPECT_EQ(res(3), 0) << "it is hard linked";
}

TEST_F(UnregisterTest, WhatIsHeldBackAndNamesAnotherEndOrNoneBegins) {
  Destination* const other = ring->register_destination(*producer, consumer->id()).value();
  post(3);
  next(1).prep_nop();
  next(2).prep_send(*other, bytes("one"));
  next(3).prep_send(*other, bytes("two"));
  wait(5);
  hold();
  next(2, kLink);  // What get() answers does nothing, wherever the one before it went.
  send("three", 3);
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*other));
  wait(4);
  EXPECT_EQ(res(2), 0);
  EXPECT_EQ(res(3), 5);
}

TEST_F(UnregisterTest, APostBehindALinkEndsUnbegun) {
  Buffer* const buffer = room(0);
  hold();
  next(2, kLink).prep_post_recv(*from, buffer);
  next(3).prep_post_recv_multishot(*from, std::span(&buffer, 1));
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*from));
  expect_cancelled();
  EXPECT_EQ(consumer->posted(), 0U);
  EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(UnregisterTest, WhatStaysRegisteredIsHeldBackAsBefore) {
  post(1);
  hold();
  next(2).prep_post_recv(*from, room(1));
  ring->submit().value();
  EXPECT_EQ(ring->unregister(*from).error().code, Errc::in_use);
  wait(1);
  EXPECT_TRUE(run_until([&] { return consumer->posted() == 2; }));
}

TEST_F(UnregisterTest, AControlMessageBehindALinkEndsUnbegun) {
  hold();
  next(2, kLink).prep_ctrl_send(*at_client, bytes("too late"));
  next(3).prep_ctrl_recv(*at_client, into);
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*at_client));
  expect_cancelled();
}

TEST_F(UnregisterTest, AnAcceptBehindALinkEndsUnbegun) {
  Listener* const listener = ring->register_listener(*server.server).value();
  hold();
  next(2).prep_accept_multishot(*listener);
  ring->submit().value();
  ASSERT_TRUE(ring->unregister(*listener));
  wait(2);
  EXPECT_EQ(res(2), -ECANCELED);
}

}  // namespace
}  // namespace comch::uring::test
