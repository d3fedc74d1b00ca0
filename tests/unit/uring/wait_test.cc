// Waiting: what ends a wait, in every place there is to wait in; and who may.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <utility>

#include "support/child_process.h"
#include "support/processor_time.h"
#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

using Clock = std::chrono::steady_clock;

struct WaitTest : RingPair, testing::WithParamInterface<Place> {
  // No spinning: every wait that finds nothing sleeps.
  WaitTest() : RingPair(GetParam(), {.spin = 0ns}) {}
};

bool is_linux_from(int major, int minor) {
  utsname system{};
  int is_major = 0;
  int is_minor = 0;
  if (::uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &is_major, &is_minor) != 2) {
    return false;
  }
  return std::pair(is_major, is_minor) >= std::pair(major, minor);
}

TEST_P(WaitTest, FeaturesSayWhatItWaitsIn) {
  const Features features = ring->features();
  EXPECT_EQ(features.kernel_ring, GetParam() != Place::kPoll);
  EXPECT_EQ(features.joined, GetParam() == Place::kJoinedRing);
  EXPECT_EQ(features.timeout_argument,
            GetParam() != Place::kPoll && GetParam() != Place::kTimerDescriptor);
  EXPECT_EQ(features.futex,
            GetParam() != Place::kPoll && GetParam() != Place::kNoFutex && is_linux_from(6, 7));
  EXPECT_FALSE(features.learns);
  EXPECT_EQ(ring->kernel() != nullptr, features.kernel_ring);
}

TEST_P(WaitTest, AWaitEndsWhenItsTimeHasPassedAndUsesNoProcessor) {
  const auto began = Clock::now();
  const auto used = processor_time(RUSAGE_THREAD);
  EXPECT_EQ(ring->submit_and_wait(1, 50ms).error().code, Errc::time_out);
  EXPECT_GE(Clock::now() - began, 50ms);
  EXPECT_LT(processor_time(RUSAGE_THREAD) - used, 25ms);
  EXPECT_EQ(ring->submit_and_wait(0).value(), 0U);
}

TEST_P(WaitTest, ATimeoutEndsAWait) {
  const auto began = Clock::now();
  next(1).prep_timeout(20ms);
  wait(1);
  EXPECT_GE(Clock::now() - began, 20ms);
  EXPECT_EQ(res(1), -ETIME);
}

TEST_P(WaitTest, MessagesControlMessagesAndRoomEndAWait) {
  std::array<std::byte, 64> room{};
  for (int round = 0; round < 20; ++round) {
    next(1).prep_ctrl_recv(*at_server, room);
    next(2).prep_ctrl_send(*at_client, bytes("control"));
    wait(2);
    EXPECT_EQ(find(1)->text, "control");
    send("it waits for room", 3);
    EXPECT_EQ(ring->submit_and_wait(1, 1ms).error().code, Errc::time_out);
    post(1);
    wait(2);
    EXPECT_EQ(find(kPosted)->text, "it waits for room");
  }
}

TEST_P(WaitTest, ACompletionOfTheApplicationsEndsAWaitAndIsLeftToIt) {
  if (ring->kernel() == nullptr) return;  // There is nowhere that it could be.
  for (std::uint64_t user_data : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{17}}) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    std::array<char, 8> text{};
    io_uring_sqe* const sqe = io_uring_get_sqe(ring->kernel());
    io_uring_prep_recv(sqe, pair[0], text.data(), text.size(), 0);
    sqe->user_data = user_data;
    EXPECT_EQ(ring->submit_and_wait(1, 2ms).error().code, Errc::time_out);
    ASSERT_EQ(::write(pair[1], "socket", 6), 6);
    EXPECT_EQ(ring->submit_and_wait(1).value(), 0U);
    unsigned head = 0, count = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(ring->kernel(), head, cqe) {
      EXPECT_FALSE(ring->claim(*cqe));
      EXPECT_EQ(cqe->user_data, user_data);
      EXPECT_EQ(cqe->res, 6);
      ++count;
    }
    EXPECT_EQ(count, 1U);
    io_uring_cq_advance(ring->kernel(), count);
    ::close(pair[0]);
    ::close(pair[1]);
  }
}

TEST_P(WaitTest, ItsOwnCompletionsAreTakenFromAmongTheApplications) {
  if (ring->kernel() == nullptr) return;
  const auto nop = [&](std::uint64_t user_data) {
    io_uring_sqe* const sqe = io_uring_get_sqe(ring->kernel());
    io_uring_prep_nop(sqe);
    sqe->user_data = user_data;
  };
  for (int round = 0; round < 50; ++round) {
    // It sleeps, for that is longer than any spin, and is not woken: its poll stays armed.
    EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
    nop(1);
    nop(2);
    ASSERT_EQ(io_uring_submit(ring->kernel()), 2);
    // The engine is notified meanwhile, and the poll completes behind two of the application's.
    ASSERT_TRUE(client.connection().try_send(bytes("x")));
    ASSERT_TRUE(engine->request_notification());
    const Deadline deadline;
    while (io_uring_cq_ready(ring->kernel()) < 3 && !deadline.passed()) {
      ASSERT_GE(io_uring_get_events(ring->kernel()), 0);
    }
    ASSERT_TRUE(engine->clear_notification());
    nop(3);
    nop(4);
    EXPECT_TRUE(ring->submit_and_wait(0));
    std::vector<std::uint64_t> order;
    unsigned head = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(ring->kernel(), head, cqe) order.push_back(cqe->user_data);
    EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 2, 3, 4}));
    io_uring_cq_advance(ring->kernel(), static_cast<unsigned>(order.size()));
    std::array<std::byte, 64> room{};
    next(9).prep_ctrl_recv(*at_server, room);
    wait(1);
  }
}

TEST_P(WaitTest, WhoReapsBetweenWaitsClaimsItsOwnAndItWakesAgain) {
  if (ring->kernel() == nullptr) return;
  std::array<std::byte, 64> room{};
  for (int round = 0; round < 20; ++round) {
    // Longer than any spin, so that it sleeps in the kernel and leaves its poll there.
    EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
    ASSERT_TRUE(client.connection().try_send(bytes("x")));
    ASSERT_TRUE(engine->request_notification());
    io_uring_cqe* cqe = nullptr;
    const Deadline deadline;
    while (io_uring_peek_cqe(ring->kernel(), &cqe) != 0 && !deadline.passed()) {
      ASSERT_GE(io_uring_get_events(ring->kernel()), 0);
    }
    ASSERT_NE(cqe, nullptr);
    EXPECT_TRUE(ring->claim(*cqe));
    EXPECT_TRUE(ring->claim(*cqe)) << "twice is once";
    io_uring_cqe_seen(ring->kernel(), cqe);
    ASSERT_TRUE(engine->clear_notification());
    next(9).prep_ctrl_recv(*at_server, room);
    wait(1);
  }
}

TEST_P(WaitTest, AFullSubmissionQueueOfTheApplicationsIsSubmitted) {
  if (ring->kernel() == nullptr) return;
  unsigned prepared = 0;
  while (io_uring_sqe* sqe = io_uring_get_sqe(ring->kernel())) {
    io_uring_prep_nop(sqe);
    sqe->user_data = ++prepared;
  }
  EXPECT_EQ(ring->submit_and_wait(1, 1s).value(), 0U);
  EXPECT_EQ(io_uring_cq_ready(ring->kernel()), prepared);
  io_uring_cq_advance(ring->kernel(), prepared);
}

TEST_P(WaitTest, ASignalEndsAWait) {
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  itimerval soon{.it_interval = {.tv_sec = 0, .tv_usec = 20'000},
                 .it_value = {.tv_sec = 0, .tv_usec = 20'000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &soon, nullptr), 0);
  const auto ready = ring->submit_and_wait(1, 10s);
  soon = {};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &soon, nullptr), 0);
  ASSERT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::operating_system);
  EXPECT_EQ(ready.error().sys, EINTR);
  send("it goes on", 1);
  post(1);
  wait(2);
}

TEST_P(WaitTest, AnotherThreadIsRefused) {
  next(1).prep_nop();
  std::thread([&] {
    EXPECT_EQ(ring->submit().error().code, Errc::not_permitted);
    EXPECT_EQ(ring->submit_and_wait(1).error().code, Errc::not_permitted);
  }).join();
  wait(1);
}

TEST_P(WaitTest, AForkedProcessIsRefusedAndLeavesItsParentsRingAlone) {
  EXPECT_EQ(ring->submit_and_wait(1, 1ms).error().code, Errc::time_out);
  next(1).prep_nop();
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_EQ(ring->submit().error().code, Errc::not_permitted);
    EXPECT_EQ(ring->submit_and_wait(1).error().code, Errc::not_permitted);
    ring.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  wait(1);
  send("it goes on", 2);
  EXPECT_EQ(ring->submit_and_wait(1, 1ms).error().code, Errc::time_out);
  post(1);
  wait(2);
}

TEST_P(WaitTest, ACallbackOfTheEngineMaySubmitAndMayNotWait) {
  int calls = 0;
  consumer->on_state_changed([&](Context&, ContextState, ContextState) {
    ++calls;
    next(5).prep_nop();
    EXPECT_EQ(ring->submit().value(), 1U);
    EXPECT_EQ(ring->submit_and_wait(1).error().code, Errc::bad_state);
  });
  post(1);
  // Its end comes from progress(), which the wait makes.
  ASSERT_TRUE((*client.client).abort());
  const Deadline deadline;
  while (calls < 2 && !deadline.passed()) {
    std::ignore = ring->submit_and_wait(1, 10ms);
    reap();
  }
  EXPECT_EQ(res(5), 0);
  EXPECT_EQ(res(kPosted), -ECONNRESET);
  consumer->on_state_changed([](Context&, ContextState, ContextState) {});
}

TEST_P(WaitTest, ACallbackOfTheEngineThatHasPeekedMayNotWaitEither) {
  bool called = false;
  consumer->on_state_changed([&](Context&, ContextState, ContextState) {
    called = true;
    // Often enough for the engine to be progressed in there.
    for (int n = 0; n < 1000; ++n) std::ignore = ring->peek();
    EXPECT_EQ(ring->submit_and_wait(100, 1ms).error().code, Errc::bad_state);
  });
  ASSERT_TRUE((*client.client).abort());
  const Deadline deadline;
  while (!called && !deadline.passed()) std::ignore = ring->submit_and_wait(1, 10ms);
  EXPECT_TRUE(called);
  consumer->on_state_changed([](Context&, ContextState, ContextState) {});
}

TEST_P(WaitTest, ALostPeerEndsWhatWasPosted) {
  post(2);
  ASSERT_TRUE((*client.client).abort());
  wait(2);
  for (const Seen& s : seen) EXPECT_EQ(s.res, -ECONNRESET);
}

INSTANTIATE_TEST_SUITE_P(In, WaitTest,
                         testing::Values(Place::kOwnRing, Place::kJoinedRing,
                                         Place::kTimerDescriptor, Place::kPoll, Place::kNoFutex),
                         [](const auto& given) { return name_of(given.param); });

}  // namespace
}  // namespace comch::uring::test
