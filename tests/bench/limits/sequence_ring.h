// SequenceRing: the order in which two processes that trust each other use the buffers of a
// ring, and nothing else.
//
//   SequenceWriter                          SequenceReader
//   fill(buffer[writer.claim()]);           use(buffer[reader.await()]);
//   writer.publish();                       reader.release();
//
// Shared are a line pair per buffer, with the number of the message that lies in it, and the
// number up to which the reader is done, told every eighth of the ring.
//
// Threads: one writer, one reader. Errors: none; both wait, one PAUSE per look, for as long as
// it takes: who started the processes has the deadline.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/pause.h"

namespace comch::bench {

struct SequenceRing {
  static constexpr std::size_t kMostSlots = 64;

  struct alignas(128) Line {
    std::atomic<std::uint64_t> number{0};
  };
  Line done;
  std::array<Line, kMostSlots> slots;
};

class SequenceWriter {
 public:
  // `slots`: a power of two.
  SequenceWriter(SequenceRing& ring, std::size_t slots) : ring_(ring), slots_(slots) {}

  // The next buffer, once it is free.
  std::size_t claim() {
    ++number_;
    while (number_ - done_ > slots_) {
      // SPACE: meets release().
      done_ = ring_.done.number.load(std::memory_order_acquire);
      if (number_ - done_ > slots_) pause();
    }
    return number_ & (slots_ - 1);
  }
  void publish() {
    // DATA: what lies in the buffer is visible before its number.
    ring_.slots[number_ & (slots_ - 1)].number.store(number_, std::memory_order_release);
  }

 private:
  SequenceRing& ring_;
  const std::size_t slots_;
  std::uint64_t number_ = 0;
  std::uint64_t done_ = 0;  // As last seen.
};

class SequenceReader {
 public:
  SequenceReader(SequenceRing& ring, std::size_t slots)
      : ring_(ring), slots_(slots), told_every_(slots < 8 ? 1 : slots / 8) {}

  // The next buffer, once there is something in it.
  std::size_t await() {
    ++number_;
    const std::atomic<std::uint64_t>& number = ring_.slots[number_ & (slots_ - 1)].number;
    // DATA: meets publish().
    while (number.load(std::memory_order_acquire) != number_) pause();
    return number_ & (slots_ - 1);
  }
  void release() {
    // SPACE: the buffer has been read before the writer sees that it is free.
    if ((number_ & (told_every_ - 1)) == 0) {
      ring_.done.number.store(number_, std::memory_order_release);
    }
  }

 private:
  SequenceRing& ring_;
  const std::size_t slots_;
  const std::size_t told_every_;
  std::uint64_t number_ = 0;
};

}  // namespace comch::bench
