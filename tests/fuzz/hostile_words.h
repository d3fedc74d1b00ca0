// HostileMachine: shared words whose other side is the fuzzer: every read answers what the
// next bytes of the input make of it. Every access must lie in its region, aligned, and each
// word may be read once between two begin()s; anything else is a crash.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "input.h"

namespace comch::fuzz {

// One region of shared words, and what the side under test was told of them.
struct Region {
  struct Read {
    std::size_t offset;
    std::uint64_t told;
  };

  std::size_t size = 0;
  std::uint64_t (*answer)(std::size_t offset) = nullptr;
  std::array<Read, 80> reads{};
  std::size_t count = 0;
  std::size_t writes = 0;
  bool reads_once = true;  // Else the rule is the target's.

  void begin() { count = writes = 0; }

  std::uint64_t read(std::size_t offset) {
    require(offset % 8 == 0 && offset + 8 <= size, "a word is read in its region, aligned");
    require(count < reads.size(), "the reads of one call are bounded");
    for (std::size_t n = 0; reads_once && n < count; ++n) {
      require(reads[n].offset != offset, "a word is read once");
    }
    const std::uint64_t told = answer(offset);
    reads[count++] = {offset, told};
    return told;
  }

  void write(std::size_t offset) {
    require(offset % 8 == 0 && offset + 8 <= size, "a word is written in its region, aligned");
    ++writes;
  }

  // What it was told of the word at `offset`; it must have asked.
  std::uint64_t told(std::size_t offset) const {
    for (std::size_t n = 0; n < count; ++n) {
      if (reads[n].offset == offset) return reads[n].told;
    }
    require(false, "a word that decides was not read");
    return 0;
  }
};

struct HostileMachine {
  template <class T>
  class Atomic {
   public:
    T load(std::memory_order) const { return last = static_cast<T>(input.near(written_)); }
    void store(T value, std::memory_order) { written_ = value; }
    static inline T last{};  // What was told last.

   private:
    T written_{};
  };

  using Data = Region*;

  static std::uint64_t load_header(Data data, std::size_t offset, std::memory_order) {
    return data->read(offset);
  }
  static void prefetch(Data, std::size_t) {}
  static void store_header(Data data, std::size_t offset, std::uint64_t, std::memory_order) {
    data->write(offset);
  }
  static std::uint64_t load_word(Data data, std::size_t offset) { return data->read(offset); }
  static void store_word(Data data, std::size_t offset, std::uint64_t) { data->write(offset); }
  // The other side may be faster; then it says what is there now.
  static bool swap_word(Data data, std::size_t offset, std::uint64_t& expected, std::uint64_t,
                        std::memory_order) {
    data->write(offset);
    if (input.take<std::uint8_t>() % 4 != 0) return true;
    expected = data->read(offset);
    return false;
  }
  static std::uint64_t add_word(Data data, std::size_t offset, std::uint64_t, std::memory_order) {
    data->write(offset);
    return input.take<std::uint64_t>();
  }
  static void full_fence() {}
  static void light_fence() {}
};

}  // namespace comch::fuzz
