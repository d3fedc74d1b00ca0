// MsgQImpl: what stands behind a MsgQ: its configuration, and from start to stop the Hub.
//
// Threads: as MsgQ; join_...() by any thread. Lifetime: the application's.
#pragma once

#include <cstdint>
#include <memory>

#include "comch/fork_mark.h"
#include "comch/msgq.h"
#include "msgq/hub.h"

namespace comch::msgq {

enum class Place : std::uint8_t { kCpu, kAccelerator };  // Where an end runs.

class MsgQImpl final : public MsgQ {
 public:
  explicit MsgQImpl(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  static MsgQImpl& of(MsgQ& face) { return static_cast<MsgQImpl&>(face); }
  static const MsgQImpl& of(const MsgQ& face) { return static_cast<const MsgQImpl&>(face); }

  // A place for a new end. bad_state: not started. not_permitted: that end of this MsgQ runs
  // elsewhere. full: there are as many as may be.
  Result<ConsumerSeat> join_consumer(Place place);
  Result<ProducerSeat> join_producer(Place place);

 private:
  friend class comch::MsgQ;  // The face does the rest.

  Status require_stopped() const;
  Status require_place(Place place, Place wanted) const;

  const ForkMark home_;
  const std::shared_ptr<Device> device_;
  dpa::Accelerator* consumer_ = nullptr;
  dpa::Accelerator* producer_ = nullptr;
  Hub::Limits limits_;
  std::shared_ptr<Hub> hub_;  // Null: stopped.
  UserData user_data_;
};

}  // namespace comch::msgq
