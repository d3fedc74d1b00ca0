// Last message: ends a cell, and shows that messages arrive whole.
//
// Every message of a cell is zeros; the last begins with kLast, and its other bytes are a
// pattern that the receiver checks. So nobody pays for checking while it is measured, and a
// carrier that loses or tears what it carries fails its cell.
//
//   end_with(buffer);                  the sender, before its last send
//   if (is_last(message)) return;      the receiver, of every message
//
// Errors: std::runtime_error for a last message that is not whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "bench/bare_slot.h"

namespace comch::bench {

void write_pattern(std::span<std::byte> bytes);
[[nodiscard]] bool has_pattern(std::span<const std::byte> bytes);

void end_with(std::span<std::byte> message);
void check_last(std::span<const std::byte> message);

inline bool is_last(std::span<const std::byte> message) {
  if (message[0] != kLast) return false;
  check_last(message);
  return true;
}

// Makes the compiler believe that all of `value` is looked at; else it leaves out copies of
// messages that no code reads.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "m"(value));
}

// is_last() of a message of at most 64 bytes that lies with somebody else, and is copied first as
// the limits do: of so many without a loop.
inline bool is_last_of_small(std::span<const std::byte> message) {
  std::array<std::byte, 64> copy;
  if (message.size() == copy.size()) [[likely]] {
    std::memcpy(copy.data(), message.data(), copy.size());
  } else {
    std::memcpy(copy.data(), message.data(), std::min(message.size(), copy.size()));
  }
  keep(copy);
  return is_last(std::span(copy).first(message.size()));
}

}  // namespace comch::bench
