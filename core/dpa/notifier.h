// Notifier: the request of a completion context for its thread to be notified, and the doorbell
// by which the other end of a MsgQ answers it.
//
//   asleep --arm()--> armed --ring(), and there is something--> asleep, and the thread is notified
//
// It notifies once for each arm(), and only when its owner has something to get. Nothing is
// lost: who may have made something to get rings behind it; arm() looks behind its request;
// and all of them take one lock. A ringer that leaves the doorbell alone because it has rung
// once for this episode of the bell (shm/bell.h) is no exception: ring() begins a new episode
// before it looks.
//
// Locks are taken in this order, and none the other way round: a consumer's or producer's; a
// notifier's; its owner's. Nobody rings with an owner's held.
//
// Threads: any. Lifetime: shared with the links of the queues; from stop() on, and before
// start(), it rings nobody and does not touch its owner. Errors: none.
#pragma once

#include <mutex>

#include "dpa/thread_impl.h"
#include "msgq/doorbell.h"
#include "shm/bell.h"

namespace comch::dpa {

// A completion context, as its notifier sees it.
class Arrivals {
 public:
  // Whether there is something to get. Called with the notifier's lock held.
  virtual bool has_arrivals() = 0;

 protected:
  ~Arrivals() = default;
};

class Notifier final : public msgq::Doorbell {
 public:
  explicit Notifier(Arrivals& owner) : owner_(owner) {}

  // Armed from the beginning; null: there is no thread to notify.
  void start(ThreadImpl* thread) {
    const std::lock_guard lock(mutex_);
    thread_ = thread;
    arm_and_look();
  }

  void arm() {
    const std::lock_guard lock(mutex_);
    arm_and_look();
  }

  void ring() override {
    const std::lock_guard lock(mutex_);
    look();
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    armed_ = false;
    thread_ = nullptr;
    sleeper_.disarm();
  }

 private:
  void arm_and_look() {
    armed_ = thread_ != nullptr;
    look();
  }

  void look() {
    if (!armed_) return;
    // Never relaxed, so that no membarrier is owed: SLEEP is the fence inside.
    static_cast<void>(sleeper_.arm());
    if (!owner_.has_arrivals()) return;
    armed_ = false;
    sleeper_.disarm();
    thread_->notify();
  }

  Arrivals& owner_;
  std::mutex mutex_;  // Of what is below.
  ThreadImpl* thread_ = nullptr;
  bool armed_ = false;
  shm::BellSleeper<> sleeper_{bell};
};

}  // namespace comch::dpa
