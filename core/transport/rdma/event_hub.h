// EventHub: hands the events of one event channel to the ids they are about. A listener shares
// its hub with the connections that came of it, so that those cost no descriptor each.
//
//   auto hub = EventHub::create(verbs, reactor).value();
//   auto id = hub->make_id(*this).value();       // on_event() from here on,
//   hub->forget(*id);                            // until here
//
// Threads: the reactor's. Lifetime: shared by the owners of its ids.
#pragma once

#include <memory>
#include <unordered_map>

#include "transport/rdma/verbs.h"
#include "transport/reactor.h"

namespace comch::transport::rdma {

class IdOwner {
 public:
  virtual void on_event(Event& event) = 0;

 protected:
  ~IdOwner() = default;
};

class EventHub final : public Readiness, public std::enable_shared_from_this<EventHub> {
 public:
  static Result<std::shared_ptr<EventHub>> create(Verbs& verbs, Reactor& reactor);
  EventHub(Reactor& reactor, std::unique_ptr<EventChannel> channel);
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  Result<std::unique_ptr<Id>> make_id(IdOwner& owner);
  // Of an id that an event brought, or that changes hands.
  void set_owner(const Id& id, IdOwner& owner) { owners_[&id] = &owner; }
  void forget(const Id& id) { owners_.erase(&id); }

  void on_readable() override;

 private:
  static constexpr int kEventsPerCall = 64;  // Picked, not tuned.

  Reactor& reactor_;
  const std::unique_ptr<EventChannel> channel_;
  std::unordered_map<const Id*, IdOwner*> owners_;
  bool failed_ = false;  // Said once.
};

}  // namespace comch::transport::rdma
