// EventHub: see event_hub.h.
#include "transport/rdma/event_hub.h"

#include <utility>

#include "base/say.h"

namespace comch::transport::rdma {

Result<std::shared_ptr<EventHub>> EventHub::create(Verbs& verbs, Reactor& reactor) {
  Result<std::unique_ptr<EventChannel>> channel = verbs.make_event_channel();
  if (!channel) return std::unexpected(channel.error());
  const int fd = (*channel)->fd();
  auto hub = std::make_shared<EventHub>(reactor, std::move(*channel));
  if (Status watched = reactor.watch(fd, *hub); !watched) return std::unexpected(watched.error());
  return hub;
}

EventHub::EventHub(Reactor& reactor, std::unique_ptr<EventChannel> channel)
    : reactor_(reactor), channel_(std::move(channel)) {}

EventHub::~EventHub() { reactor_.unwatch(channel_->fd()); }

Result<std::unique_ptr<Id>> EventHub::make_id(IdOwner& owner) {
  Result<std::unique_ptr<Id>> id = channel_->make_id();
  if (id) set_owner(**id, owner);
  return id;
}

void EventHub::on_readable() {
  const std::shared_ptr<EventHub> self = shared_from_this();  // Its last owner may go in a call.
  for (int n = 0; n < kEventsPerCall; ++n) {
    Result<std::optional<Event>> event = channel_->next();
    if (!event) {
      if (!std::exchange(failed_, true)) {
        say(LogLevel::kError, "RDMA connections are not heard of: {}", describe(event.error()));
      }
      return;
    }
    failed_ = false;
    if (!*event) return;
    // An id that nobody owns is being made, or unmade; one that came with it goes with it.
    const auto owner = owners_.find((*event)->id);
    if (owner != owners_.end()) owner->second->on_event(**event);
  }
}

}  // namespace comch::transport::rdma
