// Input: the bytes a fuzzer made up, taken as what a peer writes; and the rules that no input
// may break.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace comch::fuzz {

// A broken rule is a crash, and its name says which.
inline void require(bool held, const char* rule) {
  if (held) return;
  std::fprintf(stderr, "ORACLE: %s\n", rule);
  std::abort();
}

// The rest of the input; zeroes when it has run out.
struct Input {
  std::span<const std::uint8_t> bytes;

  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes.size());
    std::memcpy(&value, bytes.data(), size);
    bytes = bytes.subspan(size);
    return value;
  }

  // A number that may be worth believing: `truth`, near it, or anything.
  std::uint64_t near(std::uint64_t truth) {
    switch (take<std::uint8_t>() % 4) {
      case 0:
        return truth;
      case 1:
        return truth + take<std::uint8_t>();
      case 2:
        return truth - take<std::uint8_t>();
      default:
        return take<std::uint64_t>();
    }
  }
};

inline Input input;

}  // namespace comch::fuzz
