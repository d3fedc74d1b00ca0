// FastMachine: what the fast path asks of a machine, beyond RealMachine.
//
//   load_word, store_word  an aligned 8-byte word of payload, atomically and without an order;
//                          what orders it is a header
//   swap_word              compares a word with what is expected there and replaces it
//   add_word               adds to a word and answers what was there
//
// Payload of at most a slot is copied by copy_words_in() and _out(): in words on a machine of a
// model, in vectors on this one.
//
// Threads: no state. Errors: none; the callers have checked every offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

// Copies `size` private bytes to the shared words at `offset`, the last one filled with zeroes.
template <class Machine>
void copy_words_in(typename Machine::Data data, std::size_t offset, const std::byte* from,
                   std::size_t size) {
  std::size_t n = 0;
  for (; n + 8 <= size; n += 8) Machine::store_word(data, offset + n, part_of_word(from + n, 8));
  if (n != size) Machine::store_word(data, offset + n, part_of_word(from + n, size - n));
}

// Copies `size` bytes of the shared words at `offset`, each word once.
template <class Machine>
void copy_words_out(std::byte* to, typename Machine::Data data, std::size_t offset,
                    std::size_t size) {
  std::size_t n = 0;
  for (; n + 8 <= size; n += 8) {
    const std::uint64_t word = Machine::load_word(data, offset + n);
    std::memcpy(to + n, &word, sizeof word);
  }
  if (n != size) {
    const std::uint64_t word = Machine::load_word(data, offset + n);
    std::memcpy(to + n, &word, size - n);
  }
}

// Two pieces of a size the compiler knows, from both ends of `size` bytes; they may overlap.
template <class Piece>
void copy_ends(std::byte* to, const std::byte* from, std::size_t size) {
  Piece first;
  Piece last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + size - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + size - sizeof last, &last, sizeof last);
}

using Vector [[gnu::vector_size(16)]] = unsigned char;

// 64 bytes, in vectors even where the compiler takes the place for a seldom one: its own copy of so
// many is a string instruction there, which takes as long as the message does otherwise.
inline void copy_64(std::byte* to, const std::byte* from) {
  copy_ends<Vector>(to, from, 32);
  copy_ends<Vector>(to + 32, from + 32, 32);
}

// Whole vectors; as copy_64() without a call.
template <std::size_t kSize>
void copy_vectors(std::byte* to, const std::byte* from) {
  static_assert(kSize % sizeof(Vector) == 0);
  for (std::size_t n = 0; n != kSize; n += sizeof(Vector)) {
    Vector part;
    std::memcpy(&part, from + n, sizeof part);
    std::memcpy(to + n, &part, sizeof part);
  }
}

// A few bytes, mostly in whole vectors. Not inline: gcc 12 warns of the branches for more bytes
// than an object has.
[[gnu::noinline]] inline void copy_few(std::byte* to, const std::byte* from, std::size_t size) {
  if (size > 64) {
    for (std::size_t n = 0; n + 64 < size; n += 64) std::memcpy(to + n, from + n, 64);
    std::memcpy(to + size - 64, from + size - 64, 64);
  } else if (size > 32) {
    copy_ends<Vector>(to, from, 32);
    copy_ends<Vector>(to + size - 32, from + size - 32, 32);
  } else if (size >= 16) {
    copy_ends<Vector>(to, from, size);
  } else if (size >= 8) {
    copy_ends<std::uint64_t>(to, from, size);
  } else if (size >= 4) {
    copy_ends<std::uint32_t>(to, from, size);
  } else {
    for (std::size_t n = 0; n < size; ++n) to[n] = from[n];
  }
}

// On the real machine: payload is nobody's to look at but the application's, so that it may be
// read in any pieces, and a header orders it.
template <>
inline void copy_words_in<FastMachine>(FastMachine::Data data, std::size_t offset,
                                       const std::byte* from, std::size_t size) {
  copy_few(data + offset, from, size);
}

template <>
inline void copy_words_out<FastMachine>(std::byte* to, FastMachine::Data data, std::size_t offset,
                                        std::size_t size) {
  copy_few(to, data + offset, size);
}

// Whether the copies below take no call: the sizes that small messages mostly have.
constexpr bool copies_at_once(std::size_t size) { return size == 64 || size == 8; }

// copy_words_in() of so many.
template <std::size_t kSize, class Machine>
void copy_vectors_in(typename Machine::Data data, std::size_t offset, const std::byte* from) {
  if constexpr (std::is_same_v<Machine, FastMachine>) {
    copy_vectors<kSize>(data + offset, from);
  } else {
    copy_words_in<Machine>(data, offset, from, kSize);
  }
}

// The same for data alone: of the sizes that small messages mostly have, without a call.
template <class Machine>
void copy_plain_in(typename Machine::Data data, std::size_t offset, const std::byte* from,
                   std::size_t size) {
  if constexpr (std::is_same_v<Machine, FastMachine>) {
    if (size == 64) [[likely]]
      return copy_64(data + offset, from);
    if (size == 8) return static_cast<void>(std::memcpy(data + offset, from, 8));
  }
  copy_words_in<Machine>(data, offset, from, size);
}

template <class Machine>
[[gnu::always_inline]] inline void copy_plain_out(std::byte* to, typename Machine::Data data,
                                                  std::size_t offset, std::size_t size) {
  if constexpr (std::is_same_v<Machine, FastMachine>) {
    if (size == 64) [[likely]]
      return copy_64(to, data + offset);
    if (size == 8) return static_cast<void>(std::memcpy(to, data + offset, 8));
  }
  copy_words_out<Machine>(to, data, offset, size);
}

}  // namespace comch::shm
