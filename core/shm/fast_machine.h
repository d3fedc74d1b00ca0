// FastMachine: what the fast path asks of a machine, beyond RealMachine.
//
//   load_word, store_word  an aligned 8-byte word of payload, atomically and without an order;
//                          what orders it is a header
//   swap_word              compares a word with what is expected there and replaces it
//   add_word               adds to a word and answers what was there
//
// Payload of at most a slot is copied by such words: a peer that writes while we read is then
// a liar, and not a data race.
//
// Threads: no state. Errors: none; the callers have checked every offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "shm/machine.h"

namespace comch::shm {

struct FastMachine : RealMachine {
  static std::uint64_t load_word(Data data, std::size_t offset) {
    return word(data, offset).load(std::memory_order_relaxed);  // No edge: a header orders it.
  }

  static void store_word(Data data, std::size_t offset, std::uint64_t value) {
    word(data, offset).store(value, std::memory_order_relaxed);  // No edge: a header orders it.
  }

  // Answers whether the word was `expected`, and is `desired` now; else `expected` becomes
  // what it is.
  static bool swap_word(Data data, std::size_t offset, std::uint64_t& expected,
                        std::uint64_t desired, std::memory_order order) {
    // The edge is named where this is called; a failure makes none.
    return word(data, offset)
        .compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
  }

  static std::uint64_t add_word(Data data, std::size_t offset, std::uint64_t by,
                                std::memory_order order) {
    return word(data, offset).fetch_add(by, order);  // The edge is named where this is called.
  }

 private:
  static std::atomic_ref<std::uint64_t> word(Data data, std::size_t offset) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(data + offset));
  }
};

// The bytes of `size` rounded up to whole words.
constexpr std::uint64_t whole_words(std::uint64_t size) { return (size + 7) & ~std::uint64_t{7}; }

// The `size` (1 to 7) bytes at `from` as a word of which the rest is zero.
inline std::uint64_t part_of_word(const std::byte* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

// One word from private bytes to the shared word at `offset`, and back.
template <class Machine>
void word_in(typename Machine::Data data, std::size_t offset, const std::byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  Machine::store_word(data, offset, word);
}

template <class Machine>
void word_out(std::byte* to, typename Machine::Data data, std::size_t offset) {
  const std::uint64_t word = Machine::load_word(data, offset);
  std::memcpy(to, &word, sizeof word);
}

// Copies `size` private bytes to the shared words at `offset`, the last one filled with zeroes.
// In fours first: compilers do not unroll atomic words by themselves.
template <class Machine>
void copy_words_in(typename Machine::Data data, std::size_t offset, const std::byte* from,
                   std::size_t size) {
  std::size_t n = 0;
  for (; n + 32 <= size; n += 32) {
    word_in<Machine>(data, offset + n, from + n);
    word_in<Machine>(data, offset + n + 8, from + n + 8);
    word_in<Machine>(data, offset + n + 16, from + n + 16);
    word_in<Machine>(data, offset + n + 24, from + n + 24);
  }
  for (; n + 8 <= size; n += 8) word_in<Machine>(data, offset + n, from + n);
  if (n != size) Machine::store_word(data, offset + n, part_of_word(from + n, size - n));
}

// Copies `size` bytes of the shared words at `offset`, each word once.
template <class Machine>
void copy_words_out(std::byte* to, typename Machine::Data data, std::size_t offset,
                    std::size_t size) {
  std::size_t n = 0;
  for (; n + 32 <= size; n += 32) {
    word_out<Machine>(to + n, data, offset + n);
    word_out<Machine>(to + n + 8, data, offset + n + 8);
    word_out<Machine>(to + n + 16, data, offset + n + 16);
    word_out<Machine>(to + n + 24, data, offset + n + 24);
  }
  for (; n + 8 <= size; n += 8) word_out<Machine>(to + n, data, offset + n);
  if (n != size) {
    const std::uint64_t word = Machine::load_word(data, offset + n);
    std::memcpy(to + n, &word, size - n);
  }
}

}  // namespace comch::shm
