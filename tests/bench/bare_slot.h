// BareSlot: one message of 64 bytes between two processes that trust each other, and the
// least that it takes to hand it over.
//
//   writer: put(n, message)    reader: if (is_there(n)) take(message)
//
// The sequence number lies ahead of the message, in the first of two adjacent lines.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/pause.h"

namespace comch::bench {

using Message = std::array<std::byte, 64>;

struct alignas(128) BareSlot {
  // DATA: the message is visible before its number: put()'s release, is_there()'s acquire.
  void put(std::uint64_t number, const Message& message) {
    std::memcpy(bytes.data(), message.data(), message.size());
    sequence.store(number, std::memory_order_release);
  }
  bool is_there(std::uint64_t number) const {
    return sequence.load(std::memory_order_acquire) == number;
  }
  void take(Message& message) const { std::memcpy(message.data(), bytes.data(), bytes.size()); }

  // Takes message `number` as soon as it is there.
  void await(std::uint64_t number, Message& message) const {
    while (!is_there(number)) pause();
    take(message);
  }

  std::atomic<std::uint64_t> sequence{0};
  Message bytes{};
};
static_assert(sizeof(BareSlot) == 128);

// The first byte of a message that ends the conversation.
inline constexpr std::byte kLast{1};

}  // namespace comch::bench
