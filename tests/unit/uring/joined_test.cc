// Joined: an application's io_uring of every sort that the kernel makes: its completions are shown
// and end waits, and it is left as it was found.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct Setup {
  const char* name;
  unsigned flags;
};

// Made ahead of the ring that joins it, and gone after it.
struct Application {
  explicit Application(unsigned flags) {
    io_uring_params wanted{};
    wanted.flags = flags;
    wanted.sq_thread_idle = 1;
    made = io_uring_queue_init_params(kEntries, &ring, &wanted);
  }
  ~Application() {
    if (made == 0) io_uring_queue_exit(&ring);
  }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  static constexpr unsigned kEntries = 8;
  io_uring ring{};
  int made = 0;
};

// Made within a test, and so none itself.
struct InnerPair : RingPair {
  using RingPair::RingPair;
  void TestBody() override {}
};

struct JoinedTest : testing::TestWithParam<Setup> {
  void SetUp() override {
    if (application.made < 0) GTEST_SKIP() << "no such ring: " << std::strerror(-application.made);
  }
  // Without spinning, so that what does not complete sleeps.
  void join(Ring::Options options = {.spin = 0ns}) {
    options.join = &application.ring;
    const Place place = options.without_kernel_ring ? Place::kPoll : Place::kOwnRing;
    pair = std::make_unique<InnerPair>(place, options);
    ASSERT_TRUE(pair->ring->features().joined);
  }
  void prepare_nop(unsigned flags = 0) {
    io_uring_sqe* const sqe = io_uring_get_sqe(&application.ring);
    ASSERT_NE(sqe, nullptr);
    io_uring_prep_nop(sqe);
    io_uring_sqe_set_flags(sqe, flags);
    sqe->user_data = kApplications;
  }
  // It completes long after it was submitted, and without anybody's doing.
  void begin_timeout(std::chrono::milliseconds after) {
    time = {.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(after).count()};
    io_uring_sqe* const sqe = io_uring_get_sqe(&application.ring);
    ASSERT_NE(sqe, nullptr);
    io_uring_prep_timeout(sqe, &time, 0, 0);
    sqe->user_data = kApplications;
    ASSERT_GE(io_uring_submit(&application.ring), 0);
  }
  // Whether the application's completion is in its queue; what is there is taken.
  bool take_applications() {
    bool found = false;
    unsigned head = 0, count = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(&application.ring, head, cqe) {
      found = found || (!pair->ring->claim(*cqe) && cqe->user_data == kApplications);
      ++count;
    }
    io_uring_cq_advance(&application.ring, count);
    return found;
  }

  static constexpr std::uint64_t kApplications = 17;
  Application application{GetParam().flags};
  __kernel_timespec time{};
  std::unique_ptr<InnerPair> pair;
};

TEST_P(JoinedTest, TheApplicationsCompletionIsShownWhileMessagesAreReady) {
  join();
  begin_timeout(1ms);
  bool shown = false;
  const Deadline deadline;
  while (!shown && !deadline.passed()) {
    pair->next(1).prep_nop();
    ASSERT_TRUE(pair->ring->submit_and_wait(1));
    pair->reap();
    shown = take_applications();
  }
  EXPECT_TRUE(shown);
}

TEST_P(JoinedTest, TheApplicationsCompletionIsShownToWhoWaitsForNoTime) {
  join();
  begin_timeout(1ms);
  const Deadline deadline;
  bool ended = false;
  while (!ended && !deadline.passed()) ended = pair->ring->submit_and_wait(1, 0ns).has_value();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(take_applications());
}

TEST_P(JoinedTest, TheApplicationsCompletionEndsASleep) {
  join();
  begin_timeout(20ms);
  EXPECT_EQ(pair->ring->submit_and_wait(1, 1s).value(), 0U);
  EXPECT_TRUE(take_applications());
}

TEST_P(JoinedTest, TheApplicationsCompletionEndsASleepBesideTransfersThatArePolled) {
  join({.spin = 0ns, .without_kernel_ring = true});
  ASSERT_FALSE(pair->ring->features().transfer_ring);
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  pair->post(1);
  pair->next(6).prep_send_socket(*pair->to, sockets[0], 4);
  ASSERT_TRUE(pair->ring->submit());
  begin_timeout(20ms);
  EXPECT_EQ(pair->ring->submit_and_wait(1, 1s).value(), 0U);
  EXPECT_TRUE(take_applications());
  pair->next(7).prep_cancel(6);
  pair->wait(2);
  EXPECT_EQ(pair->res(6), -ECANCELED);
  ::close(sockets[0]);
  ::close(sockets[1]);
}

TEST_P(JoinedTest, AFullSubmissionQueueKeepsNobodyFromWaiting) {
  join();
  for (int round = 0; round < 50; ++round) {
    unsigned prepared = 0;
    // A thread of the kernel may show what has completed before it says that there is room.
    ASSERT_TRUE(eventually([&] { return io_uring_sq_ready(&application.ring) == 0; }));
    for (; io_uring_sq_space_left(&application.ring) != 0; ++prepared) prepare_nop();
    const auto ready = pair->ring->submit_and_wait(1, 10s);
    ASSERT_TRUE(ready) << describe(ready.error());
    const Deadline deadline;
    // What the application has in there comes, now or later.
    while (prepared != 0 && !deadline.passed()) {
      unsigned head = 0, count = 0;
      io_uring_cqe* cqe = nullptr;
      io_uring_for_each_cqe(&application.ring, head, cqe) {
        if (!pair->ring->claim(*cqe)) --prepared;
        ++count;
      }
      io_uring_cq_advance(&application.ring, count);
      if (prepared != 0) std::ignore = pair->ring->submit_and_wait(1, 1ms);
    }
    ASSERT_EQ(prepared, 0U);
  }
}

TEST_P(JoinedTest, AnApplicationsDrainDoesNotWaitForTheRingsOwnWaits) {
  join();
  io_uring_sync_cancel_reg none{};
  none.fd = -1;
  if (io_uring_register_sync_cancel(&application.ring, &none) == -EINVAL) {
    GTEST_SKIP() << "Linux has it from 6.0 on";
  }
  for (int round = 0; round < 3; ++round) {
    // It sleeps: its waits are in there.
    EXPECT_EQ(pair->ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
    prepare_nop(IOSQE_IO_DRAIN);
    // Submitted by the one or by the other.
    if (round != 0) {
      ASSERT_EQ(io_uring_submit(&application.ring), 1);
    }
    ASSERT_TRUE(pair->ring->submit_and_wait(1, 10s));
    ASSERT_TRUE(take_applications());
    prepare_nop();
    ASSERT_TRUE(pair->ring->submit_and_wait(1, 10s)) << "nor what follows";
    ASSERT_TRUE(take_applications());
  }
}

TEST_P(JoinedTest, WhatTheApplicationHasPreparedIsNotSubmittedByTheRingsEnd) {
  join();
  pair->end();
  // It sleeps: its polls are in there.
  EXPECT_EQ(pair->ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
  prepare_nop();
  prepare_nop();
  pair.reset();
  EXPECT_EQ(io_uring_sq_ready(&application.ring), 2U);
  EXPECT_EQ(io_uring_cq_ready(&application.ring), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    With, JoinedTest,
    testing::Values(
        Setup{"Nothing", 0}, Setup{"CooperativeTasks", IORING_SETUP_COOP_TASKRUN},
        Setup{"CooperativeTasksTold", IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG},
        Setup{"OneIssuer", IORING_SETUP_SINGLE_ISSUER},
        Setup{"DeferredTasks", IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN},
        Setup{"DeferredTasksTold",
              IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG},
        Setup{"AThreadOfTheKernel", IORING_SETUP_SQPOLL},
        Setup{"LongCompletions", IORING_SETUP_CQE32},
        Setup{"LongSubmissions", IORING_SETUP_SQE128}),
    [](const auto& given) { return given.param.name; });

TEST(Joined, ARingOfPolledDevicesIsRefused) {
  Application application(IORING_SETUP_IOPOLL);
  if (application.made < 0) GTEST_SKIP() << "no such ring: " << std::strerror(-application.made);
  const auto engine = ProgressEngine::create().value();
  const auto ring = Ring::create(*engine, {.join = &application.ring});
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().code, Errc::not_supported);
}

}  // namespace
}  // namespace comch::uring::test
