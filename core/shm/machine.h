// RealMachine: the machine that the structures of this room run on in production.
//
// Every structure here takes a `Machine` parameter and does to shared memory only what the
// machine offers: so that one source runs on hardware, under a model checker that explores
// every interleaving, and under a fuzzer that plays the peer. A machine offers
//
//   Atomic<T>                 a word that both sides see, as std::atomic<T>
//   Data                      a handle to the bytes of one ring
//   load_header, store_header an aligned 8-byte word within those bytes, atomically
//   copy_in, copy_out         plain bytes to and from there
//   prefetch                  a hint that bytes there will be read next; does nothing else
//   full_fence                nothing before it is delayed past anything behind it
//   light_fence               the same for the compiler alone; the processor is not held up
//
// Threads: no state. Errors: none; the callers have checked every offset.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/cache_line.h"

namespace comch::shm {

using comch::kCacheLine;

struct RealMachine {
  template <class T>
  using Atomic = std::atomic<T>;

  // The first byte of a ring's data; 8-byte aligned.
  using Data = std::byte*;

  static std::uint64_t load_header(Data data, std::size_t offset, std::memory_order order) {
    return header(data, offset).load(order);  // The edge is named where this is called.
  }

  static void store_header(Data data, std::size_t offset, std::uint64_t value,
                           std::memory_order order) {
    header(data, offset).store(value, order);  // The edge is named where this is called.
  }

  static void copy_in(Data data, std::size_t offset, const std::byte* from, std::size_t size) {
    // Last what lies in the line of the header ahead of it, at which the reader looks: it would
    // take that line from between the stores if they came back to it behind a wait for others.
    const std::size_t first = kCacheLine - offset % kCacheLine;
    if (size > first) {
      std::memcpy(data + offset + first, from + first, size - first);
      light_fence();
      size = first;
    }
    if (size != 0) std::memcpy(data + offset, from, size);  // An empty span may be null.
  }

  static void copy_out(std::byte* to, Data data, std::size_t offset, std::size_t size) {
    if (size != 0) std::memcpy(to, data + offset, size);
  }

  // The edges of both fences are named where these are called.
  static void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  static void prefetch(Data data, std::size_t offset) { __builtin_prefetch(data + offset); }

 private:
  static std::atomic_ref<std::uint64_t> header(Data data, std::size_t offset) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(data + offset));
  }
};

// Another process maps the same words: an atomic that hides a lock would lock nothing there.
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

}  // namespace comch::shm
