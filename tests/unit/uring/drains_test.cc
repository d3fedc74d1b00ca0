// Drains: in a queue of four submissions.
#include "uring/drains.h"

#include <gtest/gtest.h>

namespace comch::uring::test {
namespace {

struct DrainsTest : testing::Test {
  DrainsTest() { EXPECT_EQ(io_uring_queue_init(4, &ring, 0), 0); }
  ~DrainsTest() override { io_uring_queue_exit(&ring); }
  void prepare(unsigned count, unsigned flags = 0) {
    for (unsigned n = 0; n < count; ++n) {
      io_uring_sqe* const sqe = io_uring_get_sqe(&ring);
      ASSERT_NE(sqe, nullptr);
      io_uring_prep_nop(sqe);
      io_uring_sqe_set_flags(sqe, flags);
    }
  }
  void submit() {
    ASSERT_GE(io_uring_submit(&ring), 0);
    io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));
  }

  io_uring ring{};
  Drains drains;
};

TEST_F(DrainsTest, OneThatDrainsIsSeenOnceAndTheAnswerStays) {
  drains.begin(ring);
  EXPECT_FALSE(drains.has_news(ring));
  prepare(3);
  EXPECT_TRUE(drains.has_news(ring));
  EXPECT_FALSE(drains.look(ring));
  EXPECT_FALSE(drains.has_news(ring));
  prepare(1, IOSQE_IO_DRAIN);
  EXPECT_TRUE(drains.look(ring));
  EXPECT_FALSE(drains.look(ring));
  submit();
  prepare(1, IOSQE_IO_DRAIN);
  EXPECT_FALSE(drains.look(ring));
  EXPECT_TRUE(drains.any());
}

TEST_F(DrainsTest, OneThatWasSubmittedMeanwhileIsSeen) {
  drains.begin(ring);
  prepare(1, IOSQE_IO_DRAIN);
  submit();
  prepare(3);
  submit();
  EXPECT_TRUE(drains.look(ring));
}

TEST_F(DrainsTest, WhatWasWrittenOverMayHaveBeenOne) {
  drains.begin(ring);
  for (int n = 0; n < 3; ++n) {
    prepare(4);
    submit();
    EXPECT_FALSE(drains.look(ring)) << "not yet";
  }
  prepare(3);
  submit();
  prepare(2);
  EXPECT_TRUE(drains.look(ring));
}

TEST_F(DrainsTest, WhatIsPassedIsNotLookedAtAndNeitherIsWhatWasSubmittedBefore) {
  prepare(1, IOSQE_IO_DRAIN);
  submit();
  drains.begin(ring);
  EXPECT_FALSE(drains.look(ring));
  prepare(1, IOSQE_IO_DRAIN);
  drains.pass(ring);
  EXPECT_FALSE(drains.look(ring));
}

TEST_F(DrainsTest, WhatIsPreparedAlreadyIsLookedAt) {
  prepare(2, IOSQE_IO_DRAIN);
  drains.begin(ring);
  EXPECT_TRUE(drains.look(ring));
}

}  // namespace
}  // namespace comch::uring::test
