// Arrival, PlainArrival, Shown: what a consumer's port says of a message that it hands out.
//
// Threads: values. Lifetime: what they refer to is said at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/passage.h"

namespace comch::transport::shm {

// A message: its data is in the posted buffer `index`, or where `handed` says.
struct Arrival {
  std::uint16_t index = 0;
  Passage passage = Passage::kNone;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;              // Bytes put into the posted buffer.
  std::span<const std::byte> immediate;  // Valid until the index is posted again.
  std::span<std::byte> handed;
  std::uint32_t handle = 0;
};

// A message of data alone, as most are; handed out in registers.
struct PlainArrival {
  std::uint16_t index = 0;
  Passage passage = Passage::kNone;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;

  // For a sink that has no use for the difference.
  operator Arrival() const {
    return {.index = index,
            .passage = passage,
            .producer = producer,
            .length = length,
            .immediate = {},
            .handed = {}};
  }
};

// A message that is looked at where it lies. The producer can still change the bytes.
struct Shown {
  std::span<const std::byte> data;
  std::span<const std::byte> immediate;
  std::uint32_t producer = 0;
};
// How many are.
struct Showing {
  std::size_t messages = 0;
  std::uint64_t bytes = 0;

  explicit operator bool() const { return messages != 0; }
};

}  // namespace comch::transport::shm
