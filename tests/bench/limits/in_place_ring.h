// InPlaceRing: messages are built where the receiver reads them, and only their order passes
// between the two: the measure for loan and hand-over.
//
// Building is a write of the first line, reading a look at it: what a message costs beyond
// what its user does with it.
//
// Threads: one sender, one receiver. Errors: none; both wait.
#pragma once

#include <cstdint>
#include <cstring>

#include "bench/limits/buffers.h"
#include "bench/limits/sequence_ring.h"
#include "bench/peers/last_message.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

template <std::size_t kSlots>
class InPlaceRing {
 public:
  explicit InPlaceRing(const Workload& workload) : buffers_(kSlots, workload.bytes) {}

  class Sender {
   public:
    explicit Sender(const InPlaceRing& ring)
        : order_(*ring.order_, kSlots), buffers_(ring.buffers_) {
      buffers_.populate();
    }

    void send() {
      const std::span<std::byte> message = buffers_[order_.claim()];
      // Something new in every message, past the byte that would end the cell.
      ++number_;
      std::memcpy(message.data() + 8, &number_, sizeof number_);
      order_.publish();
    }
    void send_last() {
      end_with(buffers_[order_.claim()]);
      order_.publish();
    }

   private:
    SequenceWriter order_;
    const Buffers& buffers_;
    std::uint64_t number_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const InPlaceRing& ring)
        : order_(*ring.order_, kSlots), buffers_(ring.buffers_) {
      buffers_.populate();
    }

    bool receive() {
      const bool last = is_last(buffers_[order_.await()]);
      order_.release();
      return !last;
    }

   private:
    SequenceReader order_;
    const Buffers& buffers_;
  };

 private:
  const SharedMemory<SequenceRing> order_;
  const Buffers buffers_;
};

}  // namespace comch::bench
