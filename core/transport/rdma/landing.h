// Landing: reading memory that the other machine's device writes to while we look.
//
// A device promises that what one work request wrote is there before what the next one wrote.
// About the bytes of one request it promises nothing in words, and a device made of software
// copies them with whatever memcpy() does. So nothing is believed to be whole because one part of
// it has come: a descriptor says its generation in the highest byte of each of its words
// (board.h), a record carries a sum (lane_record.h). What is read is copied once, and the copy is
// checked: the peer may write at any time.
//
// Ordering:
//
//   LANDED   the device's write of a word -> landed()'s load(acquire)
//            what earlier requests of the queue pair wrote is visible behind it.
//
// Threads: pure functions of memory. Errors: none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace comch::transport::rdma {

// The aligned word at `at`.
inline std::uint64_t landed(const std::byte* at) {
  // The memory is ours and writable; atomic_ref of a constant came with C++26.
  auto* word = reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(at));
  return std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_acquire);  // LANDED.
}

}  // namespace comch::transport::rdma
