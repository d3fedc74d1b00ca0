// Untrusted<T>: one value the peer can change at any moment.
//
// There is no way to look at it in place. fetch() copies it once; what is checked is the
// copy, and what is used is the copy.
//
//   const std::uint64_t head = shared.head.fetch(std::memory_order_acquire);
//   if (tail - head > size) return broken();   // And from here on only `head`.
//
// The side that owns the word publish()es it, from a value that it keeps privately: what we
// wrote to shared memory is never read back.
//
// Threads: one side publishes, or several raise; any number fetch. Lifetime: lies in shared memory;
// zero bytes are a valid initial state, so nothing constructs it there.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "comch/result.h"
#include "shm/machine.h"

namespace comch::shm {

template <std::unsigned_integral T, class Machine = RealMachine>
class Untrusted {
 public:
  Untrusted() = default;
  Untrusted(const Untrusted&) = delete;  // A second copy is a second fetch.
  Untrusted& operator=(const Untrusted&) = delete;

  // One copy of the value. A stronger order than relaxed meets an edge, which the caller names.
  [[nodiscard]] T fetch(std::memory_order order = std::memory_order_relaxed) const {
    return value_.load(order);  // The edge, if any, is named by the caller.
  }

  // The usual question, asked of one copy.
  //
  // connection_reset: the value is above `limit`.
  [[nodiscard]] Result<T> fetch_at_most(T limit) const {
    const T value = fetch();
    if (value > limit) return fail(Errc::connection_reset, "the peer wrote an impossible value");
    return value;
  }

  // For the side that owns the word. The order makes the edge that the caller names.
  void publish(T value, std::memory_order order) {
    value_.store(value, order);  // The edge, if any, is named by the caller.
  }

  // For a word that several sides change, and nobody trusts: makes it another one.
  void raise(std::memory_order order) {
    value_.fetch_add(1, order);  // The edge, if any, is named by the caller.
  }

  // For the kernel, which is told of the word.
  [[nodiscard]] const void* address() const { return &value_; }

 private:
  typename Machine::template Atomic<T> value_{};
};

// A byte range named by the peer.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Whether `range` lies within a region whose size only we know. Written so that no sum can
// wrap.
[[nodiscard]] constexpr bool contains(std::uint64_t region_size, Range range) {
  return range.offset <= region_size && range.length <= region_size - range.offset;
}
static_assert(contains(4096, {4096, 0}));
static_assert(!contains(4096, {4096, 1}));
static_assert(!contains(4096, {~0ULL, 2}), "offset + length wraps to 1");

}  // namespace comch::shm
