// Notification: see dpa.h.
#include "dpa/notification_impl.h"

namespace comch::dpa {

Result<std::unique_ptr<Notification>> Notification::create(Thread& thread) {
  if (ThreadImpl::of(thread).is_away()) return refuse_away();
  return std::make_unique<NotificationImpl>(thread);
}

Status Notification::destroy(std::unique_ptr<Notification>& notification) {
  if (notification == nullptr) return fail(Errc::invalid_value, "there is no notification");
  if (notification->started()) return fail(Errc::in_use, "the notification is started");
  notification.reset();
  return {};
}

Status Notification::start() {
  NotificationImpl& self = NotificationImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (self.started_) return fail(Errc::bad_state, "the notification is started already");
  if (!self.thread_.started()) return fail(Errc::bad_state, "start the thread first");
  self.started_ = true;
  return {};
}

Status Notification::stop() {
  NotificationImpl& self = NotificationImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.started_) return fail(Errc::bad_state, "the notification is not started");
  self.started_ = false;
  return {};
}

bool Notification::started() const { return NotificationImpl::of(*this).started_; }
Thread& Notification::thread() const { return NotificationImpl::of(*this).thread_; }

Status Notification::notify() {
  NotificationImpl& self = NotificationImpl::of(*this);
  if (!self.started_) return fail(Errc::bad_state, "the notification is not started");
  self.thread_.notify();
  return {};
}

}  // namespace comch::dpa
