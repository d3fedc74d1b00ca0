// Last message: a pattern that a shifted or missing page does not have.
#include "bench/peers/last_message.h"

#include <stdexcept>

namespace comch::bench {
namespace {

// Differs between any two lines, and between any two pages, that are near each other.
std::byte pattern_at(std::size_t position) {
  return static_cast<std::byte>(position ^ (position >> 6U) * 7 ^ (position >> 12U) * 31);
}

}  // namespace

void write_pattern(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern_at(i);
}

bool has_pattern(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != pattern_at(i)) return false;
  }
  return true;
}

void end_with(std::span<std::byte> message) {
  message[0] = kLast;
  write_pattern(message.subspan(1));
}

void check_last(std::span<const std::byte> message) {
  if (!has_pattern(message.subspan(1))) throw std::runtime_error("the last message is torn");
}

}  // namespace comch::bench
