// Pooling: multishot receives, whose buffers are posted again and again.
#include <gtest/gtest.h>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct PoolingTest : RingPair {};
using Numbers = std::vector<std::uint64_t>;

TEST_F(PoolingTest, AMultishotReceiveRefillsItselfWhenItsMessagesAreAdvancedOver) {
  std::vector<Buffer*> pool;
  for (std::size_t n = 0; n < 4; ++n) pool.push_back(room(n));
  next(7).prep_post_recv_multishot(*from, pool);
  ring->submit().value();
  for (int round = 0; round < 100; ++round) {
    const std::string text = "round " + std::to_string(round);
    for (std::uint64_t n = 0; n < 6; ++n) send(text, 1, kSkipSuccess);
    ring->submit_and_wait(4).value();
    // The rest waits: the buffers are the application's until it advances.
    EXPECT_EQ(ring->submit_and_wait(0).value(), 4U);
    wait(6);
    for (const Seen& s : seen) {
      EXPECT_EQ(s.user_data, 7U);
      EXPECT_EQ(s.flags, kMore);
      EXPECT_EQ(s.text, text);
    }
    EXPECT_EQ(seen.size(), 6U);
  }
  seen.clear();
  end();
  EXPECT_EQ(order(), Numbers{7});
  EXPECT_EQ(res(7), -ESHUTDOWN);
  EXPECT_EQ(seen[0].flags, 0U);
  for (Buffer* buffer : pool) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(PoolingTest, AMultishotReceiveKeepsThePlacesOfItsBuffersFromSinglePosts) {
  std::vector<Buffer*> pool;
  for (std::size_t n = 0; n < kDepth - 2; ++n) pool.push_back(room(n));
  next(7).prep_post_recv_multishot(*from, pool);
  for (std::uint64_t n = 0; n < 3; ++n) send("into the pool", 1, kSkipSuccess);
  ring->submit_and_wait(3).value();
  ASSERT_EQ(ring->ready(), 3U);
  // Its three buffers are to be posted again, and so two places are left of five.
  Buffer* const late = room(kDepth);
  post(2);
  next(3).prep_post_recv(*from, late);
  ring->submit().value();
  wait(4);
  EXPECT_EQ(res(3), -ENOBUFS);
  EXPECT_TRUE(late->drop_reference());
  EXPECT_EQ(consumer->posted(), kDepth);
  for (std::uint64_t n = 0; n < kDepth; ++n) send("on and on", 1, kSkipSuccess);
  wait(kDepth);
  EXPECT_EQ(std::ranges::count(order(), 7U), kDepth - 2);
  for (const Seen& s : seen) EXPECT_EQ(s.text, "on and on");

  // A pool that is over keeps none.
  next(4).prep_cancel(7);
  ring->submit().value();
  wait(1);
  for (std::size_t n = 0; n < pool.size(); ++n) send("the last ones", 1, kSkipSuccess);
  ring->submit_and_wait(kDepth - 1).value();
  post(kDepth);
  EXPECT_EQ(consumer->posted(), kDepth);
  wait(kDepth - 1);
  for (Buffer* buffer : pool) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(PoolingTest, PoolsOfSeveralSourcesKeepTheirBuffersWhoeverComesAndGoes) {
  std::vector<Buffer*> pool{room(0), room(1)};
  std::vector<Buffer*> its_pool{room(2), room(3)};
  next(7).prep_post_recv_multishot(*from, pool);
  ring->submit().value();
  for (std::uint64_t life = 8; life < 10; ++life) {
    std::unique_ptr<Consumer> other = Consumer::create(server.connection(), there.map()).value();
    ring->prepare(*other, 2).value();
    start_beside(*other);
    Source* const its = ring->register_source(*other).value();
    Destination* const to_other = ring->register_destination(*producer, other->id()).value();
    send("to the first", 1, kSkipSuccess);
    ring->submit_and_wait(1).value();  // And is not advanced over when the other comes.
    next(life).prep_post_recv_multishot(*its, its_pool);
    ring->submit().value();
    std::int64_t firsts = 0;
    std::int64_t others = 0;
    for (int n = 0; n < 20; ++n) {
      send("to the first", 1, kSkipSuccess);
      next(1, kSkipSuccess).prep_send(*to_other, bytes("to the other"));
      ring->submit().value();
      wait(n == 0 ? 3 : 2);
      firsts += std::ranges::count(order(), 7U);
      others += std::ranges::count(order(), life);
    }
    EXPECT_EQ(firsts, 21);
    EXPECT_EQ(others, 20);
    EXPECT_EQ(consumer->posted(), 2U);
    EXPECT_EQ(other->posted(), 2U);
    ASSERT_TRUE(other->abort());
    EXPECT_TRUE(run_until([&] {
      reap();
      return other->state() == ContextState::kIdle && client.consumers.size() == 1;
    }));
    EXPECT_TRUE(ring->unregister(*its));
    EXPECT_TRUE(ring->unregister(*to_other));
    EXPECT_TRUE(Consumer::destroy(other));
    seen.clear();
  }
  end();
  for (Buffer* buffer : pool) EXPECT_TRUE(buffer->drop_reference());
  for (Buffer* buffer : its_pool) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(PoolingTest, ACancelledMultishotReceivePostsNothingAgainAndEnds) {
  std::vector<Buffer*> pool{room(0), room(1)};
  next(7).prep_post_recv_multishot(*from, pool);
  next(8).prep_cancel(7);
  next(9).prep_cancel(7);
  send("last but one", 1);
  send("last", 2);
  wait(7);
  EXPECT_EQ(res(8), 0);
  EXPECT_EQ(res(9), -EALREADY);
  EXPECT_EQ(seen.back().user_data, 7U);
  EXPECT_EQ(seen.back().res, -ECANCELED);
  EXPECT_EQ(seen.back().flags, 0U);
  EXPECT_EQ(consumer->posted(), 0U);
  for (Buffer* buffer : pool) EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(PoolingTest, MultishotReceivesThatCannotBeAreRefused) {
  Buffer* const foreign = here.room(0, 64);
  const std::vector<Buffer*> pool{room(0)};
  const std::vector<Buffer*> mixed{pool[0], nullptr};
  const std::vector<Buffer*> foreigners{foreign};
  const std::vector<Buffer*> many(kDepth + 1, nullptr);
  next(1).prep_post_recv_multishot(*from, {});
  next(2).prep_post_recv_multishot(*from, mixed);
  next(3).prep_post_recv_multishot(*from, foreigners);
  next(4).prep_post_recv_multishot(*from, many);
  next(5, kLink).prep_post_recv_multishot(*from, pool);
  next(6).prep_nop();
  next(7).prep_post_recv_multishot(*from, pool);
  next(8).prep_post_recv_multishot(*from, pool);
  ring->submit().value();
  reap();
  for (const std::uint64_t n : {1U, 2U, 3U, 5U}) EXPECT_EQ(res(n), -EINVAL) << n;
  EXPECT_EQ(res(4), -ENOBUFS);
  EXPECT_EQ(res(6), -ECANCELED);
  EXPECT_EQ(find(7), nullptr);
  EXPECT_EQ(res(8), -EBUSY);
  EXPECT_TRUE(foreign->drop_reference());
  EXPECT_TRUE(pool[0]->drop_reference());
}

TEST_F(PoolingTest, APoolWithARepeatedOrAPostedBufferIsRefusedAndLeavesNothingPosted) {
  Buffer* const alone = room(0);
  Buffer* const other = room(1);
  const std::vector<Buffer*> repeated{alone, other, alone};
  next(1).prep_post_recv_multishot(*from, repeated);
  wait(1);
  EXPECT_EQ(res(1), -EINVAL);
  EXPECT_EQ(consumer->posted(), 0U);
  next(2).prep_post_recv(*from, alone);
  const std::vector<Buffer*> posted{other, alone};
  next(3).prep_post_recv_multishot(*from, posted);
  wait(1);
  EXPECT_EQ(res(3), -EINVAL);
  EXPECT_EQ(consumer->posted(), 1U);
  const std::vector<Buffer*> pool{other};
  next(7).prep_post_recv_multishot(*from, pool);
  send("alone", 4, kSkipSuccess);
  send("in the pool", 5, kSkipSuccess);
  wait(2);
  ASSERT_EQ(order(), (Numbers{2, 7}));
  EXPECT_EQ(seen[0].text, "alone");
  EXPECT_EQ(seen[1].text, "in the pool");
  EXPECT_TRUE(other->drop_reference());
}

TEST_F(PoolingTest, WithoutBuffersAPoolAndSinglePostsGetMessagesInTheOrderTheyWerePostedIn) {
  const std::vector<Buffer*> pool{nullptr, nullptr};
  next(1).prep_post_recv(*from, nullptr);
  next(7).prep_post_recv_multishot(*from, pool);
  next(2).prep_post_recv(*from, nullptr);
  const auto send_some = [this](std::span<const std::string_view> texts) {
    for (const std::string_view text : texts) {
      next(9, kSkipSuccess).prep_send_imm(*to, {}, bytes(text));
    }
    wait(static_cast<std::uint32_t>(texts.size()));
    for (std::size_t n = 0; n < texts.size(); ++n) EXPECT_EQ(seen[n].immediate, texts[n]);
  };
  send_some(std::array<std::string_view, 4>{"a", "b", "c", "d"});
  EXPECT_EQ(order(), (Numbers{1, 7, 7, 2}));
  // Posted again, the pool is ahead of what is posted now.
  next(3).prep_post_recv(*from, nullptr);
  next(4).prep_post_recv(*from, nullptr);
  send_some(std::array<std::string_view, 4>{"e", "f", "g", "h"});
  EXPECT_EQ(order(), (Numbers{7, 7, 3, 4}));
}

TEST_F(PoolingTest, AMultishotReceiveGivesBackWhatWasHandedOver) {
  const std::vector<Buffer*> pool{room(0)};
  next(7).prep_post_recv_multishot(*from, pool);
  next(1).prep_hand_over(*to, *here.data(0, "not copied"));
  wait(2);
  EXPECT_EQ(find(7)->flags, kMore | kHandedOver);
  EXPECT_EQ(find(7)->text, "not copied");
  EXPECT_EQ(res(1), 10);
  EXPECT_TRUE(pool[0]->drop_reference());
}

}  // namespace
}  // namespace comch::uring::test
