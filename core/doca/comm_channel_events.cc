// Events of endpoints: see comm_channel_events.h and doca_comm_channel.h.
//
// Why nothing is lost: an arming looks at what is known, and then asks the engine for a
// notification, which looks at all there is and makes its descriptor readable if there is
// something. From then on either that descriptor is readable, or a call has run the engine and
// settle() has raised the handle or asked again.
#include "doca/comm_channel_events.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <tuple>

#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::Errc;
using comch::fail;
using comch::Result;
using comch::Status;
using comch::doca::answer;
using comch::doca::EventHandle;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;

// --- One handle --------------------------------------------------------------------------

namespace comch::doca {

Result<std::unique_ptr<EventHandle>> EventHandle::create(int engine_fd) {
  std::unique_ptr<EventHandle> handle(new EventHandle(engine_fd));
  handle->poll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  handle->raise_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event raised{.events = EPOLLIN, .data = {}};
  epoll_event engine{.events = 0, .data = {}};
  if (handle->poll_fd_ < 0 || handle->raise_fd_ < 0 ||
      epoll_ctl(handle->poll_fd_, EPOLL_CTL_ADD, handle->raise_fd_, &raised) != 0 ||
      epoll_ctl(handle->poll_fd_, EPOLL_CTL_ADD, engine_fd, &engine) != 0) {
    return fail(Errc::operating_system, "an event handle could not be made", errno);
  }
  return handle;
}

EventHandle::~EventHandle() {
  if (raise_fd_ >= 0) close(raise_fd_);
  if (poll_fd_ >= 0) close(poll_fd_);
}

// An eventfd that is written once between two reads takes and gives all 8 bytes.
void EventHandle::raise() {
  if (raised_) return;
  const std::uint64_t one = 1;
  raised_ = write(raise_fd_, &one, sizeof(one)) == sizeof(one);
}

void EventHandle::lower() {
  if (!raised_) return;
  std::uint64_t count = 0;
  raised_ = read(raise_fd_, &count, sizeof(count)) != sizeof(count);
}

void EventHandle::follow(bool on) {
  if (follows_ == on) return;
  epoll_event engine{.events = on ? std::uint32_t{EPOLLIN} : 0U, .data = {}};
  if (epoll_ctl(poll_fd_, EPOLL_CTL_MOD, engine_fd_, &engine) == 0) follows_ = on;
}

}  // namespace comch::doca

// --- The handles of an endpoint ----------------------------------------------------------

Status doca_comm_channel_ep_t::open_events() {
  for (std::unique_ptr<EventHandle>* event : {&send_event, &recv_event, &service_event}) {
    if (*event) continue;
    auto made = EventHandle::create(engine->event_fd());
    if (!made) return std::unexpected(made.error());
    *event = std::move(*made);
  }
  // What comes and goes at a service is the kernel's news: no request is needed to see it.
  service_event->follow(server != nullptr);
  settle();
  return {};
}

void doca_comm_channel_ep_t::settle() {
  if (service_event && service_news) service_event->raise();
  const bool ended = client != nullptr && peers.back()->over;
  if (recv_armed && (!ready.empty() || !pending.empty() || ended)) {
    recv_armed = false;
    recv_event->raise();
  }
  if (send_armed && send_news) {
    send_armed = send_news = false;
    send_event->raise();
  }
  const bool send_waits = send_armed && (held != 0 || send_refused);
  if (recv_event) recv_event->follow(recv_armed);
  if (send_event) send_event->follow(send_waits);
  if ((recv_armed || send_waits) && !requested) {
    requested = true;
    // Answers success always; what there is to do already makes the descriptor readable.
    std::ignore = engine->request_notification();
  }
}

// After a request the descriptor says whether there is anything to do.
bool doca_comm_channel_ep_t::engine_wakes() const {
  pollfd engine_fd{.fd = engine->event_fd(), .events = POLLIN, .revents = 0};
  return poll(&engine_fd, 1, 0) != 0;
}

void doca_comm_channel_ep_t::pump() {
  if (requested) {
    if (!engine_wakes()) return;
    requested = false;
    std::ignore = engine->clear_notification();
  }
  run();
}

void doca_comm_channel_ep_t::pump_all() {
  requested = false;
  std::ignore = engine->clear_notification();  // Makes progress() ask the kernel.
  run();
}

// Until nothing is left: what comes of the kernel's news is only then known and told. Bounded, so
// that peers that never cease cannot keep a call from returning.
void doca_comm_channel_ep_t::run() {
  int rounds = 64;
  while (rounds > 0 && engine->progress()) --rounds;
  requested = rounds == 0;
  if (requested) std::ignore = engine->request_notification();
  settle();
}

// --- The functions -----------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_get_event_channel(doca_comm_channel_ep_t* local_ep,
                                                    doca_event_channel_t* send_event_channel,
                                                    doca_event_channel_t* recv_event_channel) {
  if (local_ep == nullptr || (send_event_channel == nullptr && recv_event_channel == nullptr)) {
    return null_argument();
  }
  return guarded([&] {
    if (!local_ep->active()) {
      return refuse(Errc::bad_state, "the endpoint neither listens nor is connected");
    }
    if (Status opened = local_ep->open_events(); !opened) {
      return refuse(Errc::not_found, opened.error().what);
    }
    if (send_event_channel != nullptr) *send_event_channel = local_ep->send_event->fd();
    if (recv_event_channel != nullptr) *recv_event_channel = local_ep->recv_event->fd();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comm_channel_ep_get_service_event_channel(
    doca_comm_channel_ep_t* local_ep, doca_event_channel_t* service_event_channel) {
  if (local_ep == nullptr || service_event_channel == nullptr) return null_argument();
  return guarded([&] {
    if (!local_ep->active()) return refuse(Errc::bad_state, "the endpoint does not listen");
    if (local_ep->server == nullptr) {
      return refuse(Errc::not_supported, "a client's endpoint has no service events");
    }
    if (Status opened = local_ep->open_events(); !opened) return answer(opened);
    *service_event_channel = local_ep->service_event->fd();
    return DOCA_SUCCESS;
  });
}

namespace {

doca_error_t arm(doca_comm_channel_ep_t* endpoint,
                 std::unique_ptr<EventHandle> doca_comm_channel_ep_t::* event,
                 bool doca_comm_channel_ep_t::* armed, std::source_location where) {
  if (endpoint == nullptr) return null_argument(where);
  return guarded([&] {
    if (!endpoint->active()) {
      return refuse(Errc::invalid_value, "the endpoint neither listens nor is connected", where);
    }
    if (Status opened = endpoint->open_events(); !opened) return answer(opened, where);
    (endpoint->*event)->lower();
    endpoint->*armed = true;
    endpoint->settle();
    return DOCA_SUCCESS;
  });
}

}  // namespace

doca_error_t doca_comm_channel_ep_event_handle_arm_send(doca_comm_channel_ep_t* local_ep) {
  return arm(local_ep, &doca_comm_channel_ep_t::send_event, &doca_comm_channel_ep_t::send_armed,
             std::source_location::current());
}

doca_error_t doca_comm_channel_ep_event_handle_arm_recv(doca_comm_channel_ep_t* local_ep) {
  return arm(local_ep, &doca_comm_channel_ep_t::recv_event, &doca_comm_channel_ep_t::recv_armed,
             std::source_location::current());
}
