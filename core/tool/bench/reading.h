// Reading: what a benchmark does with a message that has arrived: looks how long it is and, where
// it is to be read, at every line of it.
//
// Who copies a message leaves it in his own cache. One that is only received stays there, and costs
// less than one that is used: of large ones, between processors without a cache in common, a
// fraction.
//
// Threads: a value. Errors: unexpected: it is not as long as those of the plan.
#pragma once

#include <cstddef>
#include <span>

#include "comch/result.h"

namespace comch::tool {

// Looks at every line of it.
inline void read_lines(std::span<const std::byte> message) {
  constexpr std::size_t kLine = 64;  // Bytes: a cache line, or a part of one.
  std::byte any{};
  for (std::size_t at = 0; at < message.size(); at += kLine) any |= message[at];
  asm volatile("" : : "r"(any));  // Else the compiler leaves it out.
}

class Reading {
 public:
  Reading(std::size_t size, bool reads) : size_(size), reads_(reads) {}

  Status operator()(std::span<const std::byte> message) const {
    if (message.size() != size_) {
      return fail(Errc::unexpected, "A message arrived with another length than it was sent with.");
    }
    if (reads_) read_lines(message);
    return {};
  }

 private:
  std::size_t size_;
  bool reads_;
};

}  // namespace comch::tool
