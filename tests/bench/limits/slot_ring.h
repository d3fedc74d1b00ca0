// SlotRing: messages of 8 or 64 bytes, each in a line pair of its own, published one by one:
// the measure for a round trip and for a rate.
//
// The reader tells its position every eighth of the ring, and that is all the flow control
// there is. Both sides copy: out of memory of the sender's own, into memory of the receiver's.
//
// Threads: one sender, one receiver. Errors: none; both wait, one PAUSE per look.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "bench/bare_slot.h"
#include "bench/peers/last_message.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

// BareSlot's little brother: a number and a message of 8 bytes, in one line.
struct alignas(128) WordSlot {
  using Message = std::array<std::byte, 8>;

  // DATA: the message is visible before its number: put()'s release, is_there()'s acquire.
  void put(std::uint64_t number, const Message& message) {
    bytes = message;
    sequence.store(number, std::memory_order_release);
  }
  bool is_there(std::uint64_t number) const {
    return sequence.load(std::memory_order_acquire) == number;
  }
  void await(std::uint64_t number, Message& message) const {
    while (!is_there(number)) pause();
    message = bytes;
  }

  std::atomic<std::uint64_t> sequence{0};
  Message bytes{};
};

// kSlots: 64 of them stay in every first-level cache, and so do two such rings, there and back.
template <class Slot, std::uint64_t kSlots>
class SlotRing {
  struct Table {
    alignas(128) std::atomic<std::uint64_t> head{0};
    std::array<Slot, kSlots> slots;
  };

 public:
  explicit SlotRing(const Workload& /*workload*/) {}

  class Sender {
   public:
    explicit Sender(const SlotRing& ring) : table_(*ring.table_) {}

    void send() {
      ++number_;
      // SPACE: meets the receiver's release.
      while (number_ - head_ > kSlots) head_ = table_.head.load(std::memory_order_acquire);
      table_.slots[number_ % kSlots].put(number_, message_);
    }
    void send_last() {
      end_with(message_);
      send();
    }

   private:
    Table& table_;
    std::uint64_t number_ = 0;
    std::uint64_t head_ = 0;
    decltype(Slot::bytes) message_{};
  };

  class Receiver {
   public:
    explicit Receiver(const SlotRing& ring) : table_(*ring.table_) {}

    bool receive() {
      ++number_;
      decltype(Slot::bytes) message;
      table_.slots[number_ % kSlots].await(number_, message);
      keep(message);
      // SPACE: the copy is finished before the writer sees that the slot is free.
      if (number_ % (kSlots / 8) == 0) table_.head.store(number_, std::memory_order_release);
      return !is_last(message);
    }

   private:
    Table& table_;
    std::uint64_t number_ = 0;
  };

 private:
  const SharedMemory<Table> table_;
};

}  // namespace comch::bench
