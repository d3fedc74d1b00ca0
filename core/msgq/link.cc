// Link: see link.h.
#include "msgq/link.h"

#include <cassert>
#include <cstring>
#include <new>
#include <utility>

namespace comch::msgq {
namespace {

shm::LaneShape shape_of(std::uint32_t slots) {
  return {.slots = slots,
          .immediate_max = sizeof(std::uint64_t) + kMaxImmediate,
          .side_stride = 0,
          .bounce_size = 0,
          .head_credit = false};
}

}  // namespace

Result<std::shared_ptr<Link>> Link::create(ProducerId producer, std::shared_ptr<Mailbox> mailbox,
                                           std::shared_ptr<Doorbell> back, std::uint32_t slots) {
  std::unique_ptr<Slot[]> memory(new (std::nothrow) Slot[slots]);
  if (memory == nullptr) return fail(Errc::no_memory, "there is no memory for the queue");
  return std::shared_ptr<Link>(
      new Link(producer, std::move(mailbox), std::move(back), std::move(memory), slots));
}

Link::Link(ProducerId producer, std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Doorbell> back,
           std::unique_ptr<Slot[]> slots, std::uint32_t count)
    : producer_(producer),
      mailbox_(std::move(mailbox)),
      slots_(std::move(slots)),
      writer_(shared_, slots_[0].bytes.data(), nullptr, shape_of(count)),
      to_consumer_(mailbox_->doorbell()),
      reader_(shared_, slots_[0].bytes.data(), nullptr, shape_of(count)),
      to_producer_(std::move(back)) {}

void Link::put(std::uint64_t number, std::span<const std::byte> immediate) {
  assert(immediate.size() <= kMaxImmediate);
  Record record;
  std::memcpy(record.data(), &number, kNumber);
  if (!immediate.empty()) std::memcpy(&record[kNumber], immediate.data(), immediate.size());
  writer_.put_immediate(0, std::span(record).first(kNumber + immediate.size()));
}

std::optional<std::uint64_t> Link::peek() {
  // Our own process wrote it: a lane that is not sound would be our own bug.
  if (reader_.look(next_) != shm::Look::kMessage) return std::nullopt;
  reader_.copy_immediate(bytes_.data(), next_);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes_.data(), kNumber);
  return number;
}

Arrival Link::take(std::span<std::byte> room) {
  const std::size_t length = next_.immediate - kNumber;
  assert(length <= room.size());
  if (length != 0) std::memcpy(room.data(), &bytes_[kNumber], length);
  reader_.pop(next_);
  return {producer_, static_cast<std::uint32_t>(length)};
}

}  // namespace comch::msgq
