// Futex: who waits for a word in shared memory is woken, in another process, too.
#include "os/futex.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"

namespace comch::os {
namespace {

struct Words {
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> waits{false};
};

TEST(FutexTest, WakesAnotherProcessThatWaitsForTheWord) {
  auto* const words = static_cast<Words*>(
      ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(words, MAP_FAILED);
  test::ChildProcess sleeper = test::ChildProcess::run([words] {
    words->waits = true;
    const timespec most{.tv_sec = 60, .tv_nsec = 0};
    while (words->word == 0) {
      const long woken = ::syscall(SYS_futex, &words->word, FUTEX_WAIT, 0, &most);
      if (woken != 0 && errno == ETIMEDOUT) return 1;
    }
    return 0;
  });
  EXPECT_TRUE(test::eventually([&] { return words->waits.load(); }));
  words->word = 1;
  wake_all(&words->word);
  EXPECT_EQ(sleeper.wait(), test::Exit::with(0));
  ::munmap(words, sizeof(Words));
}

// Threads, for a peer's waits in an io_uring are as many, and older kernels have none.
TEST(FutexTest, OfAPeerThatWaitsWithoutEndFewAreWoken) {
  constexpr int kMore = 2 * kWaitsMax;
  static Words words;
  std::atomic<int> waiting{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> waiters;
  for (int n = 0; n < kMore; ++n) {
    waiters.emplace_back([&] {
      const timespec most{.tv_sec = 60, .tv_nsec = 0};
      ++waiting;
      while (words.word == 0) {
        if (::syscall(SYS_futex, &words.word, FUTEX_WAIT, 0, &most) == 0) ++woken;
      }
    });
  }
  // All are there when the kernel says that it has moved none of them to another word: the call
  // answers how many it has found.
  std::uint32_t elsewhere = 0;
  EXPECT_TRUE(test::eventually([&] {
    if (waiting != kMore) return false;
    const long found =
        ::syscall(SYS_futex, &words.word, FUTEX_CMP_REQUEUE, 0, kMore, &elsewhere, 0);
    const long back = ::syscall(SYS_futex, &elsewhere, FUTEX_CMP_REQUEUE, 0, kMore, &words.word, 0);
    return found == kMore && back == kMore;
  }));
  wake_all(&words.word);
  EXPECT_TRUE(test::eventually([&] { return woken == kWaitsMax; }));
  words.word = 1;
  ::syscall(SYS_futex, &words.word, FUTEX_WAKE, kMore);
  for (std::thread& waiter : waiters) waiter.join();
}

TEST(FutexTest, WhereNobodyWaitsNothingHappens) {
  const std::uint32_t word = 0;
  wake_all(&word);
  wake_all(nullptr);
}

}  // namespace
}  // namespace comch::os
