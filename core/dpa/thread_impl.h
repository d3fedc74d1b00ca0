// ThreadImpl: what stands behind a Thread, and what wakes it.
//
//   idle --start()--> asleep --run()--> asleep <--> in a run --stop()--> idle
//                     (remembers)       notify()
//
// It sleeps on a condition variable. A notification sets one flag, which a run takes back
// before it begins: one that comes during a run leads to another, and none is lost.
//
// Threads: notify() by any; the rest by the program's. Lifetime: outlives what is attached.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/homebound.h"
#include "comch/dpa.h"
#include "dpa/accelerator_impl.h"

namespace comch::dpa {

class ThreadImpl final : public Thread, public Homebound<ThreadImpl> {
 public:
  explicit ThreadImpl(Accelerator& accelerator)
      : part_(accelerator), id_(part_.accelerator().next_thread_id()) {}
  ~ThreadImpl() override;

  static ThreadImpl& of(Thread& face) { return static_cast<ThreadImpl&>(face); }
  static const ThreadImpl& of(const Thread& face) { return static_cast<const ThreadImpl&>(face); }

  void notify();
  // Something that notifies is attached, from here to detach().
  void attach() { ++attached_; }
  void detach() { --attached_; }
  bool started() const { return worker_.joinable(); }

 private:
  friend class Thread;  // The face does the rest.

  void work();
  void run_once();
  void end_worker();

  Part part_;
  const std::uint32_t id_;
  Kernel kernel_;
  DeviceAddress local_storage_{};
  std::atomic<std::uint32_t> attached_{0};
  std::atomic<std::uint64_t> runs_{0};
  std::atomic<bool> stopping_{false};  // For the kernel; `ending_` is the worker's.
  std::thread worker_;

  std::mutex mutex_;  // Of what is below.
  std::condition_variable wake_;
  bool may_run_ = false;
  bool notified_ = false;
  bool finished_ = false;
  bool ending_ = false;
};

}  // namespace comch::dpa
