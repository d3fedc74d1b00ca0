// ProducerPort: a producer's end of the fast path between machines: a lane to each consumer it has
// sent to.
//
//   OutLane* lane = port->lane(consumer).value();
//   lane->put(...);
//
// Threads: the reactor's. Lifetime: the hub outlives it; what is under way when it is destroyed
// ends without an answer.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "os/event.h"
#include "transport/port_owner.h"
#include "transport/rdma/hub.h"
#include "transport/rdma/out_lane.h"
#include "transport/reactor.h"

namespace comch::transport::rdma {

class ProducerPort final : public Readiness {
 public:
  // connection_reset, full: see Hub::enter(). operating_system: see sys.
  static Result<std::unique_ptr<ProducerPort>> open(Reactor& reactor,
                                                    const std::shared_ptr<Hub>& hub,
                                                    const OutLane::Options& options,
                                                    ProducerPortOwner& owner);
  ProducerPort(Reactor& reactor, std::shared_ptr<Hub> hub, const OutLane::Options& options,
               ProducerPortOwner& owner, os::Event rings);
  ~ProducerPort();

  std::uint32_t id() const { return id_; }

  // invalid_value: there is no such consumer. again: the way there is being made; on_wake() when
  // it is, or cannot be. Others: it cannot be made.
  Result<OutLane*> lane(std::uint32_t consumer) {
    OutLane* const last = last_lane(consumer);
    return last != nullptr ? last : look_up(consumer);
  }
  // The lane that was used last, if it is to this consumer.
  OutLane* last_lane(std::uint32_t consumer) const {
    return consumer == last_id_ ? last_ : nullptr;
  }
  // Without asking for one: null when nothing was ever sent there.
  OutLane* lane_if_any(std::uint32_t consumer) const;
  // lane() would say that the consumer's machine has refused one, and ask for another then.
  bool is_refused(std::uint32_t consumer) const { return hub_->has_refused(consumer); }
  bool knows(std::uint32_t consumer) const { return hub_->find(consumer) != nullptr; }
  // Whatever is under way there is over. What a lane has counted stays in counters().
  void drop(std::uint32_t consumer);
  // Drops the lanes to consumers that are gone, but for those with something under way or lent:
  // their machine waits to hear of it.
  void forget_gone();

  template <class Each>
  void for_each(Each&& each) {
    for (const auto& [id, seat] : seats_) each(id, *seat->lane);
  }
  LaneCounters counters() const;
  // A posted buffer came back that siblings may wait for.
  void ring_siblings() const { hub_->ring_producers(); }

  void on_readable() override;

 private:
  // A lane, and the ear for what its link completes.
  struct Seat final : Readiness {
    Seat(ProducerPort& p, std::unique_ptr<OutLane> l) : port(p), lane(std::move(l)) {}
    void on_readable() override;
    ProducerPort& port;
    const std::unique_ptr<OutLane> lane;
  };

  Result<OutLane*> look_up(std::uint32_t consumer);

  Reactor& reactor_;
  const std::shared_ptr<Hub> hub_;
  const OutLane::Options options_;
  ProducerPortOwner& owner_;
  const os::Event rings_;
  const std::uint32_t id_;
  std::uint32_t last_id_ = 0;  // Of last_: most producers send to one consumer.
  OutLane* last_ = nullptr;
  std::unordered_map<std::uint32_t, std::unique_ptr<Seat>> seats_;
  LaneCounters before_;  // Of lanes that are no more.
};

}  // namespace comch::transport::rdma
