// SendEnd: see send_end.h.
#include "msgq/send_end.h"

#include <utility>

#include "msgq/msgq_impl.h"
#include "os/membarrier.h"

namespace comch::msgq {

Result<std::unique_ptr<SendEnd>> SendEnd::create(MsgQ& queue) {
  Result<ProducerSeat> seat = MsgQImpl::of(queue).join_producer(Place::kCpu);
  if (!seat) return std::unexpected(seat.error());
  return std::unique_ptr<SendEnd>(new SendEnd(std::move(*seat)));
}

Status SendEnd::open() {
  if (outbox_) return fail(Errc::bad_state, "the end is open already");
  Result<os::Event> event = os::Event::create();
  if (!event) return std::unexpected(event.error());
  doorbell_ = std::make_shared<EventDoorbell>(std::move(*event));
  sleeper_.emplace(doorbell_->bell);
  outbox_.emplace(seat_.hub(), seat_.id(), doorbell_, 0);
  return {};
}

Status SendEnd::put(ConsumerId consumer, std::span<const std::byte> immediate) {
  const Result<Outbox::Placed> placed = outbox_->put(consumer, immediate);
  if (!placed) return std::unexpected(placed.error());
  return {};
}

void SendEnd::relax() {
  if (os::register_expedited()) sleeper_->relax();
}

}  // namespace comch::msgq
