// ProducersLane: a TaskLane with several producers on one connection, each with a thread of its
// own, that send to its one consumer as fast as they can. What it carries is what all have sent.
//
// They have a processor each that is not the receiver's, as far as there are so many; else they
// share what there are.
//
// Threads, errors: as lane.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/fast/sibling.h"
#include "bench/fast/task_lane.h"
#include "bench/peers/lane.h"
#include "bench/processes.h"

namespace comch::bench {

template <std::size_t kProducers, std::uint32_t kDepth>
class ProducersLane : public TaskLane<kDepth, false> {
  using Lane = TaskLane<kDepth, false>;

 public:
  using Lane::Lane;

  class Sender {
   public:
    explicit Sender(const ProducersLane& lane) : first_(lane) {
      const int receiver = *lane.receiver_;
      std::vector<int> free = usable_processors();
      std::erase_if(free, [&](int one) { return one == receiver || one == home_processor(); });
      for (std::size_t n = 0; n + 1 < kProducers; ++n) {
        const int on = n < free.size() ? free[n] : home_processor();
        siblings_.push_back(std::make_unique<Sibling>(first_.end(), lane.plan(), on));
      }
    }

    void send() { first_.send(); }
    void send_last() {
      for (const std::unique_ptr<Sibling>& sibling : siblings_) sibling->finish();
      first_.send_last();
    }

   private:
    typename Lane::Sender first_;
    std::vector<std::unique_ptr<Sibling>> siblings_;
  };

  class Receiver : public Lane::Receiver {
   public:
    explicit Receiver(const ProducersLane& lane) : Lane::Receiver(lane.say_where()) {}
  };

 private:
  // Ahead of what the sender waits for.
  const ProducersLane& say_where() const {
    *receiver_ = home_processor();
    return *this;
  }

  SharedMemory<std::atomic<int>> receiver_;  // Where it runs.
};

}  // namespace comch::bench
