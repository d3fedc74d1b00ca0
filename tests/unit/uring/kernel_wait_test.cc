// KernelWait: sleeping for words of memory, where the kernel waits for them.
#include "uring/kernel_wait.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "os/futex.h"
#include "support/deadline.h"

namespace comch::uring::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using comch::test::eventually;

// A word that is shared, on a page of its own.
class SharedWord {
 public:
  SharedWord() { EXPECT_NE(page_, MAP_FAILED); }
  ~SharedWord() { ::munmap(page_, kSize); }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  // Another one in the same place.
  void renew() { EXPECT_EQ(map(page_, MAP_FIXED), page_); }
  WakeWord now(std::uint64_t source) const {
    return {
        .word = static_cast<const std::uint32_t*>(page_), .value = word().load(), .source = source};
  }
  void raise() const {
    ++word();
    os::wake_all(page_);
  }

 private:
  static constexpr std::size_t kSize = 4096;
  std::atomic_ref<std::uint32_t> word() const {
    return std::atomic_ref(*static_cast<std::uint32_t*>(page_));
  }
  static void* map(void* at, int flags) {
    return ::mmap(at, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | flags, -1, 0);
  }
  void* const page_ = map(nullptr, 0);
};

struct KernelWaitTest : testing::Test {
  // Long enough for no test to wait for its end.
  static constexpr auto kLong = 60s;

  KernelWaitTest() { make({}); }
  ~KernelWaitTest() override {
    wait.reset();
    ::close(event);
  }
  void make(const KernelWait::Options& options) {
    wait = KernelWait::create(event, options).value();
  }
  void SetUp() override {
    if (wait->most_words({}) == 0) GTEST_SKIP() << "Linux waits for words from 6.7 on";
  }
  // Whether it ended ahead of its time.
  bool sleep(std::span<const WakeWord> words, std::chrono::nanoseconds most = kLong) {
    const auto began = Clock::now();
    EXPECT_TRUE(wait->sleep(most, {}, words));
    return Clock::now() - began < most;
  }
  bool sleep(const WakeWord& one, std::chrono::nanoseconds most = kLong) {
    return sleep(std::span(&one, 1), most);
  }
  // One that is raised when the sleep has begun, most likely.
  bool sleep_until_raised(std::span<const WakeWord> words, const SharedWord& raised) {
    std::jthread other([&] {
      std::this_thread::sleep_for(5ms);
      raised.raise();
    });
    return sleep(words);
  }

  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<KernelWait> wait;
  SharedWord word;
};

TEST_F(KernelWaitTest, AWordThatIsAnotherOneAlreadyEndsTheSleep) {
  const WakeWord before = word.now(1);
  word.raise();
  EXPECT_TRUE(sleep(before));
  EXPECT_TRUE(wait->waits_for_words());
}

TEST_F(KernelWaitTest, AWordThatIsRaisedEndsTheSleepAgainAndAgain) {
  for (int n = 0; n < 3; ++n) {
    const std::array words{word.now(1)};
    EXPECT_TRUE(sleep_until_raised(words, word));
  }
}

TEST_F(KernelWaitTest, WhatHasNotChangedIsWaitedForOverSeveralSleeps) {
  const std::array words{word.now(1)};
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(sleep(words, 1ms));
  EXPECT_TRUE(sleep_until_raised(words, word));
}

TEST_F(KernelWaitTest, EachOfAllItsWordsEndsTheSleepInAnyOrder) {
  std::vector<std::unique_ptr<SharedWord>> many;
  while (many.size() < KernelWait::kMaxWords) many.push_back(std::make_unique<SharedWord>());
  for (std::size_t n = 0; n < many.size(); ++n) {
    std::vector<WakeWord> words;
    for (std::size_t m = 0; m < many.size(); ++m) {
      const std::size_t at = (m + n) % many.size();
      words.push_back(many[at]->now(at + 1));
    }
    EXPECT_FALSE(sleep(words, 1ms));
    EXPECT_TRUE(sleep_until_raised(words, *many[n]));
  }
}

TEST_F(KernelWaitTest, AnotherSourcesWordInTheSamePlaceIsWaitedForAnew) {
  EXPECT_FALSE(sleep(word.now(1), 1ms));
  word.renew();
  const std::array words{word.now(2)};
  sleep(words, 1ms);  // The first one's wait ends, which may end this.
  EXPECT_TRUE(sleep_until_raised(words, word));
}

TEST_F(KernelWaitTest, OneOfManyThatComeAndGoIsWaitedFor) {
  for (std::uint64_t source = 1; source < 50; ++source) {
    const SharedWord fresh;
    const std::array words{fresh.now(source)};
    sleep(words, 1us);
    EXPECT_TRUE(sleep_until_raised(words, fresh)) << source;
  }
}

TEST_F(KernelWaitTest, TheDescriptorEndsTheSleepToo) {
  ASSERT_EQ(::eventfd_write(event, 1), 0);
  EXPECT_TRUE(sleep(word.now(1)));
}

TEST_F(KernelWaitTest, AnApplicationsRingIsLeftAsItWasFound) {
  io_uring application{};
  ASSERT_EQ(io_uring_queue_init(8, &application, 0), 0);
  make({.join = &application});
  EXPECT_FALSE(sleep(word.now(1), 1ms));
  wait.reset();
  word.raise();
  EXPECT_EQ(io_uring_get_events(&application), 0);
  EXPECT_EQ(io_uring_cq_ready(&application), 0U);
  EXPECT_EQ(io_uring_sq_ready(&application), 0U);
  io_uring_queue_exit(&application);
}

TEST_F(KernelWaitTest, WhileAnApplicationsDrainHoldsItsRingBackTheDescriptorEndsTheSleep) {
  io_uring application{};
  ASSERT_EQ(io_uring_queue_init(8, &application, 0), 0);
  make({.join = &application});
  EXPECT_FALSE(sleep(word.now(1), 1ms));
  // It waits for what does not come.
  const int never = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  io_uring_prep_poll_add(io_uring_get_sqe(&application), never, POLLIN);
  io_uring_sqe* const drained = io_uring_get_sqe(&application);
  io_uring_prep_nop(drained);
  io_uring_sqe_set_flags(drained, IOSQE_IO_DRAIN);
  EXPECT_TRUE(sleep(word.now(1), 2s)) << "whoever woke us by the word is to be told first";
  EXPECT_FALSE(wait->waits_for_words());
  EXPECT_EQ(wait->most_words({}), 0U);
  EXPECT_TRUE(eventually([&] { return !wait->has_completions(); })) << "its own are taken";
  for (int n = 0; n < 2; ++n) {
    std::jthread other([&] {
      std::this_thread::sleep_for(5ms);
      ::eventfd_write(event, 1);
    });
    EXPECT_TRUE(sleep(std::span<const WakeWord>(), 2s)) << n;
    eventfd_t count = 0;
    other.join();
    ::eventfd_read(event, &count);
  }
  EXPECT_EQ(io_uring_cq_ready(&application), 0U) << "it waits on";
  ::eventfd_write(never, 1);
  EXPECT_TRUE(sleep(std::span<const WakeWord>(), 2s))
      << "the application's completions end it, too";
  EXPECT_TRUE(eventually([&] {
    return io_uring_get_events(&application) == 0 && io_uring_cq_ready(&application) == 2;
  }));
  wait.reset();
  ::close(never);
  io_uring_queue_exit(&application);
}

TEST_F(KernelWaitTest, AFullQueueOfSubmissionsIsNoHindrance) {
  make({.entries = 1});
  SharedWord second;
  const std::array words{word.now(1), second.now(2)};
  EXPECT_TRUE(sleep_until_raised(words, second));
}

TEST_F(KernelWaitTest, WithoutItNoWordIsWaitedFor) {
  make({.without_words = true});
  EXPECT_EQ(wait->most_words({}), 0U);
  EXPECT_FALSE(wait->waits_for_words());
  make({});
  const std::array some{pollfd{.fd = event, .events = POLLIN, .revents = 0}};
  EXPECT_EQ(wait->most_words({.ring_fd = -1, .descriptors = some}), 0U) << "it sleeps in poll()";
}

}  // namespace
}  // namespace comch::uring::test
