// AcceleratorImpl: what stands behind an Accelerator.
//
//   idle --start()--> started --stop()--> idle        ruined: started for ever, runs nothing
//
// Threads: started and stopped by one thread at a time; the rest by any.
// Lifetime: the application's; everything made on it holds a Part.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "comch/dpa.h"
#include "comch/fork_mark.h"
#include "dpa/device_memory.h"

namespace comch::dpa {

class AcceleratorImpl final : public Accelerator {
 public:
  explicit AcceleratorImpl(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  static AcceleratorImpl& of(Accelerator& face) { return static_cast<AcceleratorImpl&>(face); }
  static const AcceleratorImpl& of(const Accelerator& face) {
    return static_cast<const AcceleratorImpl&>(face);
  }

  // bad_state: it is not started, or ruined. not_permitted: it is the parent's.
  Status require_running() const;
  bool ruined() const {
    return ruined_.load(std::memory_order_acquire);  // RUIN: meets report_failure().
  }
  std::uint32_t next_thread_id() { return ++last_thread_id_; }

 private:
  friend class Accelerator;  // The face does the rest.
  friend class Part;

  const ForkMark home_;
  const std::shared_ptr<Device> device_;
  bool started_ = false;
  DeviceMemory memory_;
  std::atomic<std::uint32_t> parts_{0};  // Made on it and not destroyed.
  std::atomic<std::uint32_t> last_thread_id_{0};
  // Edge RUIN: who sees it ruined also sees what the failing kernel has done.
  std::atomic<bool> ruined_{false};
  mutable std::mutex mutex_;
  std::optional<Error> failure_;  // The first.
};

// One thing that is made on an accelerator, which cannot stop before it goes.
class Part {
 public:
  explicit Part(Accelerator& on) : accelerator_(AcceleratorImpl::of(on)) {
    accelerator_.parts_.fetch_add(1, std::memory_order_relaxed);  // No edge: a count.
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    // Edge PARTS: what the part did happens before the accelerator is seen to be free of it.
    accelerator_.parts_.fetch_sub(1, std::memory_order_release);
  }

  AcceleratorImpl& accelerator() const { return accelerator_; }

 private:
  AcceleratorImpl& accelerator_;
};

}  // namespace comch::dpa
