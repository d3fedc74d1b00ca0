// NotificationImpl: what stands behind a Notification.
//
// Threads: notify() by any. Lifetime: outlived by its thread.
#pragma once

#include <atomic>

#include "base/homebound.h"
#include "comch/dpa.h"
#include "dpa/thread_impl.h"

namespace comch::dpa {

class NotificationImpl final : public Notification, public Homebound<NotificationImpl> {
 public:
  explicit NotificationImpl(Thread& thread) : thread_(ThreadImpl::of(thread)) { thread_.attach(); }
  ~NotificationImpl() override { thread_.detach(); }

  static NotificationImpl& of(Notification& face) { return static_cast<NotificationImpl&>(face); }
  static const NotificationImpl& of(const Notification& face) {
    return static_cast<const NotificationImpl&>(face);
  }

 private:
  friend class Notification;  // The face does the rest.

  ThreadImpl& thread_;
  std::atomic<bool> started_{false};
};

}  // namespace comch::dpa
