// ViewLane: comch's fast path with small messages that are looked at where they lie: no posted
// buffer, no copy on this side but the bench's own, out of the view as the limits do.
//
// The sender is ArrayLane's. The receiver looks at what is there, and releases it before it looks
// again.
//
// Threads, errors: as lane.h.
#pragma once

#include <array>

#include "bench/fast/array_lane.h"

namespace comch::bench {

template <std::uint32_t kDepth>
class ViewLane : public ArrayLane<kDepth> {
 public:
  explicit ViewLane(const Workload& workload) : ArrayLane<kDepth>(workload) {
    this->plan_.way = DataWay::kView;
  }

  class Receiver {
   public:
    explicit Receiver(const ViewLane& lane)
        : end_(lane.plan_,
               [&](Consumer& consumer) { configure_no_tasks(consumer, lane.plan_.depth); }) {}
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      if (taken_ == arrived_) take();
      return !is_last_of_small(views_[taken_++].data);
    }

   private:
    void take() {
      need(end_.consumer().release_views(arrived_), "to release");
      while ((arrived_ = end_.consumer().poll_views(views_)) == 0) {
        if (++looks_ % 256 == 0) engine_.progress();
      }
      taken_ = 0;
    }

    ProgressEngine& engine_ = engine_of_process();
    ConsumerEnd end_;
    std::array<View, kPublishedAtOnce> views_;
    std::size_t arrived_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t looks_ = 0;
  };
};

}  // namespace comch::bench
