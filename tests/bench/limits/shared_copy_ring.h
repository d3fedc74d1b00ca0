// SharedCopyRing: sender and receiver copy each message together, chunk by chunk, into a
// buffer that the receiver reads where it lies: the measure for a fast path that cooperates.
//
// Both see the source as well as the buffer. Each takes the next chunk that nobody has taken,
// until there is none; the message is there when all are done.
//
// Threads: one sender, one receiver, each of which copies. Errors: none; both wait.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "base/pause.h"
#include "bench/limits/buffers.h"
#include "bench/limits/copy_routine.h"
#include "bench/limits/sequence_ring.h"
#include "bench/peers/last_message.h"
#include "bench/peers/reading.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

class SharedCopyRing {
  // Bytes, in two lines, because both sides write both. Reset by the sender, once the receiver
  // has released the buffer; then neither takes chunks of it.
  struct Progress {
    alignas(128) std::atomic<std::size_t> taken{0};
    alignas(128) std::atomic<std::size_t> done{0};
  };

  struct Table {
    SequenceRing order;
    std::array<Progress, SequenceRing::kMostSlots> progress;
  };

  // Copies chunks until all are taken.
  class Hand {
   public:
    explicit Hand(const SharedCopyRing& ring) : ring_(ring), copy_(best_copy(ring.bytes_)) {
      ring.sources_.populate();
      ring.posted_.populate();
    }

    void copy(std::size_t slot) const {
      Progress& progress = ring_.table_->progress[slot];
      const std::span<std::byte> to = ring_.posted_[slot];
      const std::span<std::byte> from = ring_.sources_[slot];
      // The counter alone decides whose a chunk is; its content was ordered by publish().
      for (std::size_t at;
           (at = progress.taken.fetch_add(ring_.chunk_, std::memory_order_relaxed)) < to.size();) {
        const std::size_t bytes = std::min(ring_.chunk_, to.size() - at);
        copy_(to.data() + at, from.data() + at, bytes);
        // COPIED: the chunk is visible before it counts.
        progress.done.fetch_add(bytes, std::memory_order_release);
      }
    }

   private:
    const SharedCopyRing& ring_;
    const CopyRoutine copy_;
  };

 public:
  explicit SharedCopyRing(const Workload& workload)
      : bytes_(workload.bytes),
        read_(workload),
        slots_(ring_slots(bytes_)),
        // Picked: eight chunks or more, none so short that taking it costs more than copying.
        chunk_(std::clamp(bytes_ / 8, 16 * kKib, 128 * kKib)),
        sources_(slots_, bytes_),
        posted_(slots_, bytes_) {}

  class Sender {
   public:
    explicit Sender(const SharedCopyRing& ring)
        : ring_(ring), hand_(ring), order_(ring.table_->order, ring.slots_) {}

    void send() { send(order_.claim()); }
    void send_last() {
      const std::size_t slot = order_.claim();
      end_with(ring_.sources_[slot]);
      send(slot);
    }

   private:
    void send(std::size_t slot) {
      Progress& progress = ring_.table_->progress[slot];
      // Ordered before the receiver's look by publish().
      progress.taken.store(0, std::memory_order_relaxed);
      progress.done.store(0, std::memory_order_relaxed);
      order_.publish();
      hand_.copy(slot);
    }

    const SharedCopyRing& ring_;
    const Hand hand_;
    SequenceWriter order_;
  };

  class Receiver {
   public:
    explicit Receiver(const SharedCopyRing& ring)
        : ring_(ring), hand_(ring), order_(ring.table_->order, ring.slots_) {}

    bool receive() {
      const std::size_t slot = order_.await();
      hand_.copy(slot);
      // COPIED: meets the sender's release.
      while (ring_.table_->progress[slot].done.load(std::memory_order_acquire) < ring_.bytes_) {
        pause();
      }
      ring_.read_(ring_.posted_[slot]);
      const bool last = is_last(ring_.posted_[slot]);
      order_.release();
      return !last;
    }

   private:
    const SharedCopyRing& ring_;
    const Hand hand_;
    SequenceReader order_;
  };

 private:
  const std::size_t bytes_;
  const Reading read_;
  const std::size_t slots_;
  const std::size_t chunk_;
  const SharedMemory<Table> table_;
  const Buffers sources_;
  const Buffers posted_;
};

}  // namespace comch::bench
