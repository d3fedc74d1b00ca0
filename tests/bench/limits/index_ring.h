// IndexRing: messages of 64 bytes, packed, published 64 at a time by one position: the measure
// for batches, and the most that two cores can pass each other.
//
// Threads: one sender, one receiver. Errors: none; both wait, one PAUSE per look.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/pause.h"
#include "bench/bare_slot.h"
#include "bench/peers/last_message.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

class IndexRing {
  static constexpr std::uint64_t kSlots = 256;  // 16 KiB: stays in every first-level cache.

  struct Table {
    alignas(128) std::atomic<std::uint64_t> head{0};
    alignas(128) std::atomic<std::uint64_t> tail{0};
    alignas(128) std::array<Message, kSlots> slots;
  };

 public:
  explicit IndexRing(const Workload& /*workload*/) {}

  class Sender {
   public:
    explicit Sender(const IndexRing& ring) : table_(*ring.table_) {}

    void send() {
      // SPACE: meets the receiver's release.
      while (tail_ - head_ == kSlots) head_ = table_.head.load(std::memory_order_acquire);
      table_.slots[tail_ % kSlots] = message_;
      if (++tail_ % kPublishedAtOnce == 0) publish();
    }
    void send_last() {
      end_with(message_);
      send();
      publish();
    }

   private:
    // DATA: the messages are visible before the position that exposes them.
    void publish() { table_.tail.store(tail_, std::memory_order_release); }

    Table& table_;
    std::uint64_t tail_ = 0;
    std::uint64_t head_ = 0;
    Message message_{};
  };

  class Receiver {
   public:
    explicit Receiver(const IndexRing& ring) : table_(*ring.table_) {}

    bool receive() {
      if (head_ == tail_) await();
      const Message message = table_.slots[head_ % kSlots];
      keep(message);
      // SPACE: the copies are finished before the sender sees that the slots are free.
      if (++head_ % (kSlots / 8) == 0) table_.head.store(head_, std::memory_order_release);
      return !is_last(message);
    }

   private:
    void await() {
      // DATA: meets publish().
      while ((tail_ = table_.tail.load(std::memory_order_acquire)) == head_) pause();
    }

    Table& table_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
  };

 private:
  const SharedMemory<Table> table_;
};

}  // namespace comch::bench
