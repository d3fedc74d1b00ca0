// InLane: a producer's lane, as the consumer sees it: memory that the other machine writes records
// to, and a link to ring its producer by.
//
// Threads: made by the connection's, then the consumer's, which is handed it under a lock.
// Lifetime: shared by the consumer's port and its LocalConsumer. Errors: of make(), see there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "transport/rdma/bell.h"
#include "transport/rdma/lane_record.h"
#include "transport/rdma/link.h"
#include "transport/rdma/pinned.h"

namespace comch::transport::rdma {

class InLane {
 public:
  // For what its machine asks for. operating_system, no_memory: it cannot be had here.
  // full: its peer has what it may have.
  static Result<std::shared_ptr<InLane>> make(const wire::RdmaLane& lane, const LaneShape& shape,
                                              const Fabric& fabric);
  struct Parts {
    PairShare share;
    Pinned memory;
    std::unique_ptr<Link> link;  // Behind the memory that it lets be written.
  };
  InLane(std::uint32_t number, const LaneShape& shape, Parts parts);

  std::uint32_t number() const { return number_; }
  Link& link() { return *parts_.link; }
  wire::RdmaLaneReady answer(std::uint32_t consumer) const;

  // The next message, if it has come.
  bool look(LaneRecord& record) const {
    return !broken_ && read_record(slot(), shape_.slot_size, position_, record);
  }
  // Nobody stays awake for one of which a part has come, whose producer may never write the rest.
  // An honest one looks at the bell when all of it is there (bell.h), and rings.
  bool ready() const {
    LaneRecord record;
    return look(record);
  }
  // Of the record that look() has shown.
  const std::byte* immediate() const { return slot() + kRecordHeader; }
  const std::byte* data(const LaneRecord& record) const {
    return immediate() + padded(record.immediate);
  }
  void pop() { ++position_; }
  std::uint32_t messages() const { return position_; }  // Taken so far.
  // Nothing of it is believed any more.
  void set_broken() { broken_ = true; }

  // The consumer's request at `position` posts something; up to `done` they have arrived at the
  // board: wakes the producer if it sleeps for that. Where a ring has no room, the next call does.
  void posted(std::uint64_t position) { looks_.sent(position); }
  void tell(std::uint64_t done);

  // ENDED: the producers write nothing more. The connection's thread says it.
  bool ended() const {
    return ended_.load(std::memory_order_acquire);
  }  // ENDED: meets set_ended().
  void set_ended() { ended_.store(true, std::memory_order_release); }  // ENDED: met in ended().

 private:
  const std::byte* slot() const { return parts_.memory.data() + shape_.offset(position_); }

  const std::uint32_t number_;
  const LaneShape shape_;
  const Parts parts_;
  std::uint32_t position_ = 0;
  bool broken_ = false;
  Ringer space_;
  LooksDue looks_;
  std::atomic<bool> ended_{false};
};

}  // namespace comch::transport::rdma
