// KernelWatch: who is told of which descriptor, also when descriptors come and go meanwhile.
#include "engine/kernel_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <vector>

#include "os/event.h"

namespace comch::engine {
namespace {

struct Reader final : transport::Readiness {
  void on_readable() override {
    ++told;
    then();
  }
  os::Event event = os::Event::create().value();
  int fd() const { return event.fd().get(); }
  int told = 0;
  std::function<void()> then = [] {};
};

struct KernelWatchTest : testing::Test {
  KernelWatch watch = KernelWatch::create().value();
  Reader first;
  Reader second;
};

TEST_F(KernelWatchTest, WhatIsNotReadIsToldAgain) {
  ASSERT_TRUE(watch.watch(first.fd(), first));
  EXPECT_FALSE(watch.look());
  first.event.signal();
  EXPECT_TRUE(watch.look());
  EXPECT_TRUE(watch.look());
  first.event.drain();
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(first.told, 2);
}

TEST_F(KernelWatchTest, ItsOwnDescriptorIsReadableWhileSomethingIs) {
  ASSERT_TRUE(watch.watch(first.fd(), first));
  pollfd look{.fd = watch.fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&look, 1, 0), 0);
  first.event.signal();
  EXPECT_EQ(::poll(&look, 1, 0), 1);
}

TEST_F(KernelWatchTest, AWakeUpOfTheEnginesOwnIsToldAndIsNoNews) {
  ASSERT_TRUE(watch.watch(first.fd(), first, KernelWatch::Meaning::kWakeUp));
  first.event.signal();
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(first.told, 1);
}

TEST_F(KernelWatchTest, ADescriptorHasOneReader) {
  ASSERT_TRUE(watch.watch(first.fd(), first));
  EXPECT_EQ(watch.watch(first.fd(), second).error().code, Errc::already_exist);
  watch.unwatch(first.fd());
  EXPECT_TRUE(watch.watch(first.fd(), second));
  first.event.signal();
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(first.told, 0);
  EXPECT_EQ(second.told, 1);
}

TEST_F(KernelWatchTest, AReaderMayWithdrawAnotherThatIsAboutToBeTold) {
  for (Reader* reader : {&first, &second}) {
    ASSERT_TRUE(watch.watch(reader->fd(), *reader));
    reader->event.signal();
  }
  first.then = [&] { watch.unwatch(second.fd()); };
  second.then = [&] { watch.unwatch(first.fd()); };
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(first.told + second.told, 1);
}

TEST_F(KernelWatchTest, ANewReaderIsNotToldWhatConcernedTheFormerOfItsSlot) {
  Reader third;
  for (Reader* reader : {&first, &second}) {
    ASSERT_TRUE(watch.watch(reader->fd(), *reader));
    reader->event.signal();
  }
  const auto replace = [&](Reader& other) {
    watch.unwatch(other.fd());
    EXPECT_TRUE(watch.watch(third.fd(), third));
  };
  first.then = [&] { replace(second); };
  second.then = [&] { replace(first); };
  EXPECT_TRUE(watch.look());
  EXPECT_EQ(third.told, 0);
}

TEST_F(KernelWatchTest, ReadersMayBeAddedWhileOthersAreTold) {
  std::vector<std::unique_ptr<Reader>> more;
  ASSERT_TRUE(watch.watch(first.fd(), first));
  first.event.signal();
  first.then = [&] {
    first.event.drain();
    for (int i = 0; i < 100; ++i) {
      Reader& reader = *more.emplace_back(std::make_unique<Reader>());
      EXPECT_TRUE(watch.watch(reader.fd(), reader));
      reader.event.signal();
    }
  };
  for (int looks = 0; looks < 4; ++looks) EXPECT_TRUE(watch.look());
  EXPECT_GT(more.front()->told, 0);
  EXPECT_GT(more.back()->told, 0) << "every descriptor has its turn, however many are ready";
}

TEST_F(KernelWatchTest, SleepEndsWhenSomethingIsReadableAndTellsNobody) {
  ASSERT_TRUE(watch.watch(first.fd(), first));
  first.event.signal();
  watch.sleep(std::chrono::hours(1));
  EXPECT_EQ(first.told, 0);
}

TEST_F(KernelWatchTest, WithdrawingWhatIsNotWatchedDoesNothing) {
  watch.unwatch(first.fd());
  EXPECT_TRUE(watch.watch(first.fd(), first));
}

}  // namespace
}  // namespace comch::engine
