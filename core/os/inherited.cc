// Inherited: a bit for each descriptor; see inherited.h.
#include "os/inherited.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "os/syscalls.h"

namespace comch::os {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20U;  // The kernel's own limit, as it comes.
constexpr std::size_t kBits = 64;

using Word = std::atomic<std::uint64_t>;

// 128 KiB, of which nothing is there until it is used. Bits make no edges: the child of a fork()
// has one thread, and in the parent a descriptor has one owner.
constinit std::array<Word, kMost / kBits> marked{};
constinit std::atomic<std::size_t> words_used{0};

bool is_covered(int fd) { return fd >= 0 && static_cast<std::size_t>(fd) < kMost; }
Word& word_of(int fd) { return marked[static_cast<std::size_t>(fd) / kBits]; }
std::uint64_t bit_of(int fd) { return std::uint64_t{1} << (static_cast<std::size_t>(fd) % kBits); }

// In the child.
void close_marked() {
  const std::size_t words = words_used.load(std::memory_order_relaxed);
  for (std::size_t n = 0; n < words; ++n) {
    for (std::uint64_t left = marked[n].exchange(0, std::memory_order_relaxed); left != 0;
         left &= left - 1) {
      syscalls().close(static_cast<int>(n * kBits) + std::countr_zero(left));
    }
  }
}

void use_words(std::size_t count) {
  std::size_t used = words_used.load(std::memory_order_relaxed);
  while (used < count &&
         !words_used.compare_exchange_weak(used, count, std::memory_order_relaxed)) {
  }
}

}  // namespace

void close_in_children(int fd) {
  // Without memory for the handler a child keeps what it inherits.
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, close_marked);
  if (!is_covered(fd)) return;
  use_words(static_cast<std::size_t>(fd) / kBits + 1);
  word_of(fd).fetch_or(bit_of(fd), std::memory_order_relaxed);
}

void keep_in_children(int fd) noexcept {
  if (!is_covered(fd)) return;
  Word& word = word_of(fd);
  if ((word.load(std::memory_order_relaxed) & bit_of(fd)) == 0) return;
  word.fetch_and(~bit_of(fd), std::memory_order_relaxed);
}

}  // namespace comch::os
