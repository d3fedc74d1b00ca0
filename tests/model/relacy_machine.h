// RelacyMachine: the machine that lets the structures of core/shm run under relacy, which
// explores the interleavings of a test's threads and, for every load, the values that the C++
// memory model allows it to see.
//
// RING_HEADER names the header under test: the real one, or a copy in which plant.py has
// planted a mistake that the model must find.
//
// The bytes of a ring are modelled as 8-byte words, each an atomic (the header that a load
// sees there) and two plain variables that catch accesses without order: one that copies
// write and read and that header stores write too, for they may not hit what the receiver
// still copies; and one that copies in write and header loads read, for a receiver may not
// look for a header where payload lies.
#pragma once

#ifndef RING_HEADER
#define RING_HEADER "shm/record_ring.h"
#endif
// Ahead of relacy, as all that a model includes.
#include RING_HEADER

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "relacy.h"

namespace comch::model {

inline rl::memory_order translate(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    default:
      return rl::mo_seq_cst;
  }
}

template <class T>
class RelacyAtomic {
 public:
  RelacyAtomic() : value_(T{}) {}
  T load(std::memory_order order) const { return value_.load(translate(order), $); }
  void store(T value, std::memory_order order) { value_.store(value, translate(order), $); }
  T fetch_add(T by, std::memory_order order) { return value_.fetch_add(by, translate(order), $); }

 private:
  rl::atomic<T> value_;
};

struct RelacyWord {
  RelacyWord() {
    plain($) = 0;
    payload($) = 0;
  }

  RelacyAtomic<std::uint64_t> header;
  rl::var<std::uint64_t> plain;
  rl::var<std::uint64_t> payload;
  bool is_payload = false;  // Whether it was last written as payload.
};

struct RelacyMachine {
  template <class T>
  using Atomic = RelacyAtomic<T>;
  using Data = RelacyWord*;

  static std::uint64_t load_header(Data data, std::size_t offset, std::memory_order order) {
    const std::uint64_t header = data[offset / 8].header.load(order);
    static_cast<void>(static_cast<std::uint64_t>(data[offset / 8].payload($)));
    RL_ASSERT(!data[offset / 8].is_payload);
    return header;
  }

  static void store_header(Data data, std::size_t offset, std::uint64_t value,
                           std::memory_order order) {
    data[offset / 8].plain($) = value;
    data[offset / 8].is_payload = false;
    data[offset / 8].header.store(value, order);
  }

  static void copy_in(Data data, std::size_t offset, const std::byte* from, std::size_t size) {
    for (std::size_t n = 0; n < size; n += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + n, 8);
      data[(offset + n) / 8].plain($) = word;
      data[(offset + n) / 8].payload($) = word;
      data[(offset + n) / 8].is_payload = true;
    }
  }

  static void copy_out(std::byte* to, Data data, std::size_t offset, std::size_t size) {
    for (std::size_t n = 0; n < size; n += 8) {
      const std::uint64_t word = data[(offset + n) / 8].plain($);
      std::memcpy(to + n, &word, 8);
    }
  }

  static void full_fence() { rl::atomic_thread_fence(rl::mo_seq_cst, $); }
  static void prefetch(Data, std::size_t) {}
  static void light_fence() {}  // Relacy reorders what the language allows, compiler or not.
};

}  // namespace comch::model
