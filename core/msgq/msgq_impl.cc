// MsgQ, and MsgQImpl: see msgq_impl.h.
#include "msgq/msgq_impl.h"

#include <utility>

#include "base/homebound.h"
#include "msgq/link.h"

namespace comch::msgq {

static_assert(MsgQ::kMaxImmediate == kMaxImmediate && MsgQ::kMaxDepth == kMaxDepth);

Status MsgQImpl::require_stopped() const {
  if (hub_ != nullptr) return fail(Errc::bad_state, "the MsgQ is started; stop it first");
  return {};
}

Status MsgQImpl::require_place(Place place, Place wanted) const {
  if (home_.is_forked()) return refuse_away();
  if (hub_ == nullptr) return fail(Errc::bad_state, "the MsgQ is not started");
  if (place == wanted) return {};
  return fail(Errc::not_permitted, wanted == Place::kCpu
                                       ? "this end of the MsgQ runs on the accelerator"
                                       : "this end of the MsgQ runs on the CPU");
}

Result<ConsumerSeat> MsgQImpl::join_consumer(Place place) {
  const Place mine = consumer_ != nullptr ? Place::kAccelerator : Place::kCpu;
  if (Status s = require_place(mine, place); !s) return std::unexpected(s.error());
  const Result<std::uint32_t> seat = hub_->join_consumer();
  if (!seat) return std::unexpected(seat.error());
  return ConsumerSeat(hub_, *seat);
}

Result<ProducerSeat> MsgQImpl::join_producer(Place place) {
  const Place mine = producer_ != nullptr ? Place::kAccelerator : Place::kCpu;
  if (Status s = require_place(mine, place); !s) return std::unexpected(s.error());
  const Result<ProducerId> id = hub_->join_producer();
  if (!id) return std::unexpected(id.error());
  return ProducerSeat(hub_, *id);
}

}  // namespace comch::msgq

namespace comch {

using msgq::MsgQImpl;

Result<std::unique_ptr<MsgQ>> MsgQ::create(std::shared_ptr<Device> device) {
  if (device == nullptr) return fail(Errc::invalid_value, "a MsgQ needs a device");
  return std::make_unique<MsgQImpl>(std::move(device));
}

Status MsgQ::destroy(std::unique_ptr<MsgQ>& queue) {
  if (queue == nullptr) return fail(Errc::invalid_value, "there is no MsgQ to destroy");
  if (queue->started()) return fail(Errc::in_use, "the MsgQ is started; stop it first");
  queue.reset();
  return {};
}

Status MsgQ::set_accelerator_consumer(dpa::Accelerator& accelerator) {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (Status s = self.require_stopped(); !s) return s;
  self.consumer_ = &accelerator;
  self.producer_ = nullptr;
  return {};
}

Status MsgQ::set_accelerator_producer(dpa::Accelerator& accelerator) {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (Status s = self.require_stopped(); !s) return s;
  self.producer_ = &accelerator;
  self.consumer_ = nullptr;
  return {};
}

Status MsgQ::set_max_consumers(std::uint32_t consumers) {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (Status s = self.require_stopped(); !s) return s;
  if (consumers == 0 || consumers > kMaxConsumers) {
    return fail(Errc::invalid_value, "a MsgQ has 1 to 1024 consumers");
  }
  self.limits_.consumers = consumers;
  return {};
}

Status MsgQ::set_max_producers(std::uint32_t producers) {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (Status s = self.require_stopped(); !s) return s;
  if (producers == 0 || producers > kMaxProducers) {
    return fail(Errc::invalid_value, "a MsgQ has 1 to 1024 producers");
  }
  self.limits_.producers = producers;
  return {};
}

Status MsgQ::start() {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (self.home_.is_forked()) return refuse_away();
  if (Status s = self.require_stopped(); !s) return s;
  if (self.consumer_ == nullptr && self.producer_ == nullptr) {
    return fail(Errc::bad_state, "say first which end of the MsgQ runs on an accelerator");
  }
  self.hub_ = std::make_shared<msgq::Hub>(self.limits_);
  return {};
}

Status MsgQ::stop() {
  MsgQImpl& self = MsgQImpl::of(*this);
  if (self.home_.is_forked()) return refuse_away();
  if (self.hub_ == nullptr) return fail(Errc::bad_state, "the MsgQ is not started");
  if (self.hub_->consumers() + self.hub_->producers() != 0) {
    return fail(Errc::in_use, "the MsgQ has consumers or producers; destroy them first");
  }
  self.hub_.reset();
  return {};
}

bool MsgQ::started() const { return MsgQImpl::of(*this).hub_ != nullptr; }
dpa::Accelerator* MsgQ::accelerator_consumer() const { return MsgQImpl::of(*this).consumer_; }
dpa::Accelerator* MsgQ::accelerator_producer() const { return MsgQImpl::of(*this).producer_; }
std::uint32_t MsgQ::max_consumers() const { return MsgQImpl::of(*this).limits_.consumers; }
std::uint32_t MsgQ::max_producers() const { return MsgQImpl::of(*this).limits_.producers; }
std::uint32_t MsgQ::consumers() const {
  const MsgQImpl& self = MsgQImpl::of(*this);
  return self.hub_ == nullptr ? 0 : self.hub_->consumers();
}
std::uint32_t MsgQ::producers() const {
  const MsgQImpl& self = MsgQImpl::of(*this);
  return self.hub_ == nullptr ? 0 : self.hub_->producers();
}
const std::shared_ptr<Device>& MsgQ::device() const { return MsgQImpl::of(*this).device_; }
void MsgQ::set_user_data(UserData data) { MsgQImpl::of(*this).user_data_ = data; }
UserData MsgQ::user_data() const { return MsgQImpl::of(*this).user_data_; }

}  // namespace comch
