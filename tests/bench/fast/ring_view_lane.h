// RingViewLane: RingLane with messages that are looked at where they lie: no posted buffer, and no
// copy on this side but the bench's own, out of the view as the limits do.
//
// Threads, errors: as lane.h.
#pragma once

#include <array>
#include <memory>

#include "bench/fast/ring_lane.h"

namespace comch::bench {

template <std::uint32_t kDepth>
class RingViewLane : public RingLane<kDepth> {
  static constexpr std::uint32_t kShown = 96;  // At a time, and looked at 64 at a time.

 public:
  explicit RingViewLane(const Workload& workload) : RingLane<kDepth>(workload) {
    this->plan_.way = DataWay::kView;
  }

  class Receiver {
   public:
    explicit Receiver(const RingViewLane& lane)
        : ring_(ring_of_process(kShown)),
          end_(lane.plan_,
               [&](Consumer& consumer) {
                 need(ring_->prepare(consumer, lane.plan_.depth), "the consumer");
               }),
          from_(need(ring_->register_source(end_.consumer()), "the ring")) {
      uring::Submission* const views = ring_->get();
      views->prep_view_multishot(*from_, kShown);
      need(ring_->submit(), "to look at messages");
    }
    ~Receiver() {
      ring_->advance(count_);
      ring_->get()->prep_cancel(0);
      std::ignore = ring_->submit();
      while (ring_->peek() != nullptr) ring_->advance(ring_->ready());
      std::ignore = ring_->unregister(*from_);
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      while (true) {
        while (taken_ == count_) take();
        const uring::Completion& completion = *batch_[taken_++];
        if ((completion.flags & uring::kView) == 0) continue;
        return !is_last_of_small(completion.viewed());
      }
    }

   private:
    // Room is given back when what has arrived is answered.
    void take() {
      ring_->advance(count_);
      count_ = ring_->peek_batch(batch_);
      taken_ = 0;
    }

    const std::shared_ptr<uring::Ring> ring_;
    ConsumerEnd end_;
    uring::Source* const from_;
    std::array<const uring::Completion*, kPublishedAtOnce> batch_;
    std::uint32_t count_ = 0;
    std::uint32_t taken_ = 0;
  };
};

}  // namespace comch::bench
