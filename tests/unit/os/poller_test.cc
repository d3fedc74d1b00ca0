// Event, Timer and Poller: being told, and waiting to be told.
#include "os/poller.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "os/clock.h"
#include "os/event.h"
#include "os/timer.h"
#include "support/deadline.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

using namespace std::chrono_literals;

struct PollerTest : testing::Test {
  std::size_t wait(std::chrono::nanoseconds timeout) { return poller.wait(ready, timeout).value(); }

  Poller poller = Poller::create().value();
  Event bell = Event::create().value();
  std::array<Ready, 4> ready;
};

TEST(EventTest, IsRungUntilItIsDrained) {
  const Event bell = Event::create().value();
  EXPECT_FALSE(bell.drain());
  bell.signal();
  bell.signal();
  EXPECT_TRUE(bell.drain());
  EXPECT_FALSE(bell.drain());
}

TEST_F(PollerTest, SaysWhichOnesAreReadyByTheirTag) {
  int tag = 0;
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, &tag));
  EXPECT_EQ(wait(0ns), 0u);
  bell.signal();
  ASSERT_EQ(wait(0ns), 1u);
  EXPECT_EQ(ready[0].tag, &tag);
  EXPECT_EQ(ready[0].events, std::uint32_t{EPOLLIN});
  ASSERT_EQ(wait(0ns), 1u);  // Level-triggered: until it is drained.
  bell.drain();
  EXPECT_EQ(wait(0ns), 0u);
}

TEST_F(PollerTest, ModifyAndRemoveChangeWhatIsTold) {
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, nullptr));
  bell.signal();
  ASSERT_TRUE(poller.modify(bell.fd().get(), 0, nullptr));
  EXPECT_EQ(wait(0ns), 0u);
  ASSERT_TRUE(poller.modify(bell.fd().get(), EPOLLIN, nullptr));
  EXPECT_EQ(wait(0ns), 1u);
  ASSERT_TRUE(poller.remove(bell.fd().get()));
  EXPECT_EQ(wait(0ns), 0u);
}

TEST_F(PollerTest, KnowsWhatIsInItAndWhatIsNot) {
  EXPECT_EQ(poller.modify(bell.fd().get(), EPOLLIN, nullptr).error().code, Errc::not_found);
  EXPECT_EQ(poller.remove(bell.fd().get()).error().code, Errc::not_found);
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, nullptr));
  EXPECT_EQ(poller.add(bell.fd().get(), EPOLLIN, nullptr).error().code, Errc::already_exist);
  EXPECT_EQ(poller.add(-1, EPOLLIN, nullptr).error().sys, EBADF);
}

TEST_F(PollerTest, ReadinessBeyondTheRoomComesNextTime) {
  std::vector<Event> bells;
  for (int i = 0; i < 10; ++i) bells.push_back(Event::create().value());
  for (Event& each : bells) {
    ASSERT_TRUE(poller.add(each.fd().get(), EPOLLIN | EPOLLET, &each));
    each.signal();
  }
  std::set<void*> seen;
  while (const std::size_t count = wait(0ns)) {
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(seen.insert(ready[i].tag).second);
  }
  EXPECT_EQ(seen.size(), bells.size());
}

TEST_F(PollerTest, IsItselfReadableWhileSomethingInItIsReady) {
  Poller outer = Poller::create().value();
  ASSERT_TRUE(outer.add(poller.fd().get(), EPOLLIN, nullptr));
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, nullptr));
  EXPECT_EQ(outer.wait(ready, 0ns).value(), 0u);
  bell.signal();
  EXPECT_EQ(outer.wait(ready, 0ns).value(), 1u);
}

TEST_F(PollerTest, AWaitLastsAtLeastItsTime) {
  for (const auto timeout : {200us, 1500us}) {
    const std::uint64_t before = monotonic_ns();
    EXPECT_EQ(wait(timeout), 0u);
    EXPECT_GE(std::chrono::nanoseconds(monotonic_ns() - before), timeout);
  }
}

TEST_F(PollerTest, AnotherThreadEndsAWait) {
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, nullptr));
  std::jthread ringer([&] { bell.signal(); });
  EXPECT_EQ(wait(test::patience()), 1u);
}

TEST_F(PollerTest, ASignalEndsAWaitWithNothing) {
  test::RiggedSyscalls rig({.nth = 1, .sys = EINTR});
  EXPECT_EQ(wait(test::patience()), 0u);
}

TEST_F(PollerTest, WithoutNanosecondsAWaitIsRoundedUpToMilliseconds) {
  static int asked = 0;
  asked = 0;
  Syscalls old = kKernel;
  old.epoll_pwait2 = [](int, epoll_event*, int, const timespec*) {
    ++asked;
    errno = ENOSYS;
    return -1;
  };
  const ScopedSyscalls scope(old);
  ASSERT_TRUE(poller.add(bell.fd().get(), EPOLLIN, nullptr));
  const std::uint64_t before = monotonic_ns();
  EXPECT_EQ(wait(100us), 0u);
  EXPECT_GE(monotonic_ns() - before, 900'000u);  // The kernel counts from its last tick.
  bell.signal();
  EXPECT_EQ(wait(-1ns), 1u);
  EXPECT_EQ(asked, 1) << "a kernel that has no epoll_pwait2 is asked once";
}

TEST_F(PollerTest, NoRoomForAnAnswerIsRefused) {
  EXPECT_EQ(poller.wait({}, 0ns).error().code, Errc::invalid_value);
}

TEST_F(PollerTest, ATimerGoesOffAtItsTimeAndUntilItIsDrained) {
  const Timer timer = Timer::create().value();
  ASSERT_TRUE(poller.add(timer.fd().get(), EPOLLIN, nullptr));
  EXPECT_FALSE(timer.drain());
  const std::uint64_t due = monotonic_ns() + 2'000'000;
  timer.set(due);
  EXPECT_EQ(wait(test::patience()), 1u);
  EXPECT_GE(monotonic_ns(), due);
  EXPECT_TRUE(timer.drain());
  EXPECT_FALSE(timer.drain());
}

TEST_F(PollerTest, ATimerSetToThePastGoesOffAtOnceAndOneSetToNeverDoesNot) {
  const Timer timer = Timer::create().value();
  ASSERT_TRUE(poller.add(timer.fd().get(), EPOLLIN, nullptr));
  timer.set(monotonic_ns() - 1);
  EXPECT_EQ(wait(test::patience()), 1u);
  timer.set(1);
  EXPECT_EQ(wait(test::patience()), 1u);
  timer.set(Timer::kNever);
  EXPECT_EQ(wait(2ms), 0u);
}

}  // namespace
}  // namespace comch::os
