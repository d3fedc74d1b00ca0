// Doorbell: how whoever puts something into a MsgQ wakes the one who sleeps for it.
//
// The owner says through the bell that it is about to sleep (shm/bell.h has the protocol and
// why no wake-up is lost); what ring() does is the owner's business: an eventfd that a
// progress engine watches, or a thread of the accelerator.
//
//   owner:   BellSleeper sleeper(doorbell.bell); if (sleeper.arm()) membarrier; look; sleep
//   others:  Ringer ringer(doorbell);  ...publish something...  ringer.tell();
//
// Threads: ring() is called from any. A Ringer belongs to one thread.
// Lifetime: shared by the owner and by everybody who may still ring; ringing the doorbell of
// an owner that is gone does nothing. Errors: none.
#pragma once

#include <memory>
#include <utility>

#include "os/event.h"
#include "shm/bell.h"

namespace comch::msgq {

class Doorbell {
 public:
  Doorbell() = default;
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;
  virtual ~Doorbell() = default;

  // Somebody has seen the bell armed.
  virtual void ring() = 0;

  alignas(shm::kCacheLine) shm::Bell<> bell;
};

// The doorbell of an end on the CPU: its progress engine watches the event.
class EventDoorbell final : public Doorbell {
 public:
  explicit EventDoorbell(os::Event event) : event_(std::move(event)) {}

  void ring() override { event_.signal(); }
  const os::Event& event() const { return event_; }

 private:
  const os::Event event_;
};

// One who rings a doorbell.
class Ringer {
 public:
  explicit Ringer(std::shared_ptr<Doorbell> doorbell)
      : doorbell_(std::move(doorbell)), ringer_(doorbell_->bell) {}

  // After each publication.
  void tell() {
    if (ringer_.should_ring()) doorbell_->ring();
  }

 private:
  const std::shared_ptr<Doorbell> doorbell_;
  shm::BellRinger<> ringer_;
};

}  // namespace comch::msgq
