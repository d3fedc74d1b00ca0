// OneCopyRing: the sender copies each message once, out of memory of its own and into a buffer
// that the receiver reads where it lies: the measure for a fast path that copies alone.
//
// Threads: one sender, one receiver. Errors: none; both wait.
#pragma once

#include "bench/limits/buffers.h"
#include "bench/limits/copy_routine.h"
#include "bench/limits/sequence_ring.h"
#include "bench/peers/last_message.h"
#include "bench/peers/reading.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

class OneCopyRing {
 public:
  explicit OneCopyRing(const Workload& workload)
      : slots_(ring_slots(workload.bytes)),
        read_(workload),
        source_(1, workload.bytes),
        posted_(slots_, workload.bytes) {}

  class Sender {
   public:
    explicit Sender(const OneCopyRing& ring)
        : order_(*ring.order_, ring.slots_),
          message_(ring.source_[0]),
          posted_(ring.posted_),
          copy_(best_copy(message_.size())) {
      ring.source_.populate();
      posted_.populate();
    }

    void send() {
      copy_(posted_[order_.claim()].data(), message_.data(), message_.size());
      order_.publish();
    }
    void send_last() {
      end_with(message_);
      send();
    }

   private:
    SequenceWriter order_;
    const std::span<std::byte> message_;
    const Buffers& posted_;
    const CopyRoutine copy_;
  };

  class Receiver {
   public:
    explicit Receiver(const OneCopyRing& ring)
        : order_(*ring.order_, ring.slots_), posted_(ring.posted_), read_(ring.read_) {
      posted_.populate();
    }

    bool receive() {
      const std::span<const std::byte> message = posted_[order_.await()];
      read_(message);
      const bool last = is_last(message);
      order_.release();
      return !last;
    }

   private:
    SequenceReader order_;
    const Buffers& posted_;
    const Reading read_;
  };

 private:
  const std::size_t slots_;
  const Reading read_;
  const SharedMemory<SequenceRing> order_;
  const Buffers source_;
  const Buffers posted_;
};

}  // namespace comch::bench
