// ProducerPort: a producer's end of the fast path in shared memory: its lanes, one per consumer
// it has sent to, and the socket by which consumers ring it.
//
//   OutLane* lane = port->lane(consumer).value();       // Made at the first send.
//   lane->put(...);
//
// Threads: the reactor's. Lifetime: the hub outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "os/fd.h"
#include "transport/port_owner.h"
#include "transport/reactor.h"
#include "transport/shm/hub.h"
#include "transport/shm/out_lane.h"

namespace comch::transport::shm {

class ProducerPort final : public Readiness {
 public:
  // connection_reset, full: see Hub::enter(). operating_system: see sys.
  static Result<std::unique_ptr<ProducerPort>> open(Reactor& reactor,
                                                    const std::shared_ptr<Hub>& hub,
                                                    const OutLane::Options& options,
                                                    ProducerPortOwner& owner);
  ProducerPort(Reactor& reactor, std::shared_ptr<Hub> hub, const OutLane::Options& options,
               ProducerPortOwner& owner, os::Fd listens, os::Fd rings);
  ~ProducerPort();

  std::uint32_t id() const { return id_; }

  // invalid_value: there is no such consumer. again: it cannot be reached now. Others: the lane
  // cannot be made.
  Result<OutLane*> lane(std::uint32_t consumer) {
    OutLane* const last = last_lane(consumer);
    return last != nullptr ? last : look_up(consumer);
  }
  // The lane that was used last, if it is to this consumer.
  OutLane* last_lane(std::uint32_t consumer) const {
    return consumer == last_id_ ? last_ : nullptr;
  }
  // Without making one: null when nothing was ever sent there.
  OutLane* lane_if_any(std::uint32_t consumer) const;
  bool knows(std::uint32_t consumer) const { return hub_->find(consumer) != nullptr; }
  // What a lane has counted stays in counters().
  void drop(std::uint32_t consumer);
  // Drops the lanes to consumers that are gone, but for those that something is under way in, lent
  // or handed over. It is called whenever the port is rung, as it is when a consumer goes, and
  // whenever it makes a lane: a consumer stays mapped as long as anyone has a lane to it.
  void forget_gone();

  template <class Each>
  void for_each(Each&& each) {
    for (const auto& [id, lane] : lanes_) each(id, *lane);
  }
  LaneCounters counters() const;
  // Something was sent by that lane, perhaps in answer to what has come.
  void note_sent(const OutLane& lane) {
    reactor_.patience().answered();
    static_assert(NextAnswer::kBytes == comch::shm::kLaneSlot);
    reactor_.next_answer().lies_at(lane.next_slot());
  }
  // A posted buffer came back that siblings may wait for.
  void ring_siblings() const { hub_->ring_producers(); }

  void on_readable() override;

 private:
  Result<OutLane*> look_up(std::uint32_t consumer);
  void end(const OutLane& lane);

  Reactor& reactor_;
  const std::shared_ptr<Hub> hub_;
  const OutLane::Options options_;
  ProducerPortOwner& owner_;
  const os::Fd listens_;
  const os::Fd rings_;
  const std::uint32_t id_;
  std::uint32_t last_id_ = 0;  // Of last_: most producers send to one consumer.
  OutLane* last_ = nullptr;
  std::unordered_map<std::uint32_t, std::unique_ptr<OutLane>> lanes_;
  LaneCounters before_;  // Of lanes that are no more.
};

}  // namespace comch::transport::shm
