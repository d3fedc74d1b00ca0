// ReceiveEnd: see receive_end.h.
#include "msgq/receive_end.h"

#include <cassert>
#include <utility>

#include "msgq/msgq_impl.h"
#include "os/membarrier.h"

namespace comch::msgq {

Result<std::unique_ptr<ReceiveEnd>> ReceiveEnd::create(MsgQ& queue) {
  Result<ConsumerSeat> seat = MsgQImpl::of(queue).join_consumer(Place::kCpu);
  if (!seat) return std::unexpected(seat.error());
  return std::unique_ptr<ReceiveEnd>(new ReceiveEnd(std::move(*seat)));
}

ReceiveEnd::~ReceiveEnd() { close(); }

Status ReceiveEnd::open(std::uint32_t depth, std::uint32_t immediate_max) {
  if (open_) return fail(Errc::bad_state, "the end is open already");
  if (depth == 0 || depth > kMaxDepth || immediate_max > kMaxImmediate) {
    return fail(Errc::invalid_value, "a MsgQ takes 1 to 8192 receives of at most 32 bytes");
  }
  Result<os::Event> event = os::Event::create();
  if (!event) return std::unexpected(event.error());
  doorbell_ = std::make_shared<EventDoorbell>(std::move(*event));
  sleeper_.emplace(doorbell_->bell);
  ring_.assign(depth, 0);
  bytes_.assign(std::size_t{depth} * kMaxImmediate, std::byte{});
  first_ = count_ = unpublished_ = 0;
  std::shared_ptr<Mailbox> mailbox =
      seat_.hub().open(seat_.number(), depth, immediate_max, doorbell_);
  id_ = mailbox->terms().id;
  inbox_.emplace(std::move(mailbox));
  open_ = true;
  return {};
}

void ReceiveEnd::post(std::uint16_t index) {
  assert(open_ && index < ring_.size() && count_ < ring_.size());
  ring_[(first_ + count_) % ring_.size()] = index;
  ++count_;
  ++unpublished_;
}

void ReceiveEnd::publish() {
  if (unpublished_ != 0) inbox_->post(std::exchange(unpublished_, 0));
}

bool ReceiveEnd::take(Delivery& delivery) {
  if (count_ == 0) return false;
  const std::span<std::byte> room = room_of(ring_[first_]);
  Arrival arrival;
  if (!inbox_->take(room, arrival)) return false;
  delivery = {*take_back(), arrival.producer, room.first(arrival.length)};
  return true;
}

void ReceiveEnd::close() {
  if (!open_) return;
  open_ = false;
  seat_.hub().withdraw(seat_.number());
  inbox_->close();
}

std::optional<std::uint16_t> ReceiveEnd::take_back() {
  if (count_ == 0) return std::nullopt;
  const std::uint16_t index = ring_[first_];
  first_ = (first_ + 1) % ring_.size();
  --count_;
  return index;
}

void ReceiveEnd::relax() {
  if (os::register_expedited()) sleeper_->relax();
}

}  // namespace comch::msgq
