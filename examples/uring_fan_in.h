// Fan-in: what uring_collector and uring_producer agree on.
#pragma once

#include <cstdint>

inline constexpr std::uint32_t kSenders = 16;  // Coroutines of a producer.

struct Message {
  std::uint32_t sender;
  std::uint32_t number;  // Of this sender, from 0.
};
