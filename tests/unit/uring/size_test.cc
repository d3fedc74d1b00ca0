// A ring of one's own size, and what it does where the kernel refuses it something.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/child_process.h"
#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct SizeTest : RingPair {
  SizeTest() : RingPair(Place::kOwnRing, {.entries = 4, .completions = 8}) {}
};

TEST_F(SizeTest, GetAnswersNullWhenTheQueueIsFullAndWhenAllPlacesAreHeld) {
  EXPECT_EQ(ring->space(), 4U);
  for (int n = 0; n < 4; ++n) next(1).prep_nop();
  EXPECT_EQ(ring->get(), nullptr);
  EXPECT_EQ(ring->submit().value(), 4U);
  for (int n = 0; n < 4; ++n) send("nothing is posted", 2);
  EXPECT_EQ(ring->submit().value(), 4U);
  EXPECT_EQ(ring->space(), 0U);
  EXPECT_EQ(ring->get(), nullptr);
  EXPECT_EQ(ring->ready(), 4U);
  ring->advance(1);
  EXPECT_EQ(ring->space(), 1U);
  next(3).prep_cancel(2);
  EXPECT_EQ(ring->get(), nullptr);
  ring->submit().value();
  EXPECT_EQ(ring->ready(), 5U);
}

TEST_F(SizeTest, ARingThatHasBeenEmptiedUsesItsFirstPlacesAgain) {
  next(1).prep_nop();
  ring->submit().value();
  const Completion* const first = ring->peek();
  ring->advance(1);
  EXPECT_EQ(ring->peek(), nullptr);
  next(2).prep_nop();
  next(3).prep_nop();
  ring->submit().value();
  ASSERT_EQ(ring->peek(), first);
  EXPECT_EQ(first->user_data, 2U);
  // Not while something is ready, which has its place.
  ring->advance(1);
  EXPECT_EQ(ring->peek(), first + 1);
  EXPECT_EQ(ring->peek()->user_data, 3U);
}

TEST_F(SizeTest, APoolThatIsLargerThanTheCompletionQueueIsRefused) {
  const std::vector<Buffer*> pool(8, nullptr);
  next(1).prep_post_recv_multishot(*from, pool);
  next(2).prep_post_recv_multishot(*from, std::span(pool).first(6));
  ring->submit().value();
  EXPECT_EQ(ring->ready(), 1U);
  EXPECT_EQ(ring->peek()->res, -ENOBUFS);
  ring->advance(1);
  // The multishot itself and six buffers.
  EXPECT_EQ(ring->space(), 1U);
  for (int n = 0; n < 100; ++n) {
    next(3, kSkipSuccess).prep_send_imm(*to, {}, bytes("imm"));
    wait(1);
    EXPECT_EQ(res(2), 0);
  }
}

TEST(RingOptions, SizesThatCannotBeAreRefused) {
  const auto engine = ProgressEngine::create().value();
  for (const Ring::Options& options : {Ring::Options{.entries = 0},
                                       {.entries = Ring::kMaxEntries + 1},
                                       {.entries = 8, .completions = 7},
                                       {.completions = Ring::kMaxCompletions + 1},
                                       {.kernel_entries = 0},
                                       {.kernel_entries = Ring::kMaxEntries + 1}}) {
    EXPECT_EQ(Ring::create(*engine, options).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(Ring::create(*engine, {.entries = 5}).value()->space(), 8U);
}

// In a process of its own, which the limits go with.
TEST(RingOptions, WithoutAnythingTheKernelMayRefuseItWaitsInPoll) {
  ChildProcess child = ChildProcess::run([] {
    const auto engine = ProgressEngine::create().value();
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &none), 0);
    EXPECT_TRUE(Ring::create(*engine)) << "no memory may be locked";
    // No descriptor is left for a kernel ring.
    const int next = ::dup(0);
    ::close(next);
    const rlimit files{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = 4096};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    const auto ring = Ring::create(*engine);
    EXPECT_TRUE(ring);
    if (!ring) return 1;
    EXPECT_FALSE((*ring)->features().kernel_ring);
    (*ring)->get()->prep_timeout(1ms);
    EXPECT_EQ((*ring)->submit_and_wait(1, 1s).value_or(0), 1U);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST(RingOptions, ARingWhoseDescriptorIsClosedUnderItSaysSoAndMessagesGoOn) {
  struct Closed : RingPair {
    void TestBody() override {}
    Closed() : RingPair(Place::kOwnRing, {.spin = 0ns}) {}
  } pair;
  ASSERT_FALSE(pair.HasFailure());
  const int descriptor = pair.ring->kernel()->ring_fd;
  const int kept = ::dup(descriptor);
  // Closed, and its number another file's already.
  ASSERT_EQ(::dup2(STDIN_FILENO, descriptor), descriptor);
  const auto waited = pair.ring->submit_and_wait(1, 1s);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Errc::operating_system);
  EXPECT_NE(waited.error().sys, 0);
  pair.next(1000).prep_post_recv(*pair.from, pair.room(0));
  pair.send("awake", 1);
  // What it would wait with is still to be submitted.
  EXPECT_EQ(pair.ring->submit().error().code, Errc::operating_system);
  const Deadline deadline;
  while (pair.seen.size() < 2 && !deadline.passed()) pair.reap();
  EXPECT_EQ(pair.seen.size(), 2U);
  ASSERT_EQ(::dup2(kept, descriptor), descriptor);
  ::close(kept);
}

}  // namespace
}  // namespace comch::uring::test
