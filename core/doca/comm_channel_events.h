// EventHandle: a descriptor that a program waits for, of one kind of event of an endpoint.
//
// It is readable while it is raised, or, while it follows the engine, as soon as the engine has
// something to do: what that is turns out when the engine runs, inside a call of the endpoint's,
// and then the handle of the right kind is raised. Thus no thread is needed to tell the kinds
// apart, and a handle is readable now and then for nothing.
//
//   epoll instance (handed out) -- eventfd (raised)
//                               -- the engine's descriptor (while it follows)
//
// Threads: the endpoint's. Lifetime: the endpoint's; the engine outlives it.
#pragma once

#include <memory>

#include "comch/result.h"

namespace comch::doca {

class EventHandle {
 public:
  // operating_system: no descriptor was to be had.
  static Result<std::unique_ptr<EventHandle>> create(int engine_fd);
  EventHandle(const EventHandle&) = delete;
  EventHandle& operator=(const EventHandle&) = delete;
  ~EventHandle();

  int fd() const { return poll_fd_; }
  void raise();
  void lower();
  void follow(bool on);

 private:
  explicit EventHandle(int engine_fd) : engine_fd_(engine_fd) {}

  const int engine_fd_;
  int poll_fd_ = -1;
  int raise_fd_ = -1;
  bool raised_ = false;
  bool follows_ = false;
};

}  // namespace comch::doca
