// OutLane: messages that it does not copy: files that both sides read, loans, hand-overs.
#include <array>

#include "base/prefetch.h"
#include "os/peer_file.h"
#include "transport/shm/out_lane.h"

namespace comch::transport::shm {

// --- Files -------------------------------------------------------------------------------

std::optional<std::uint32_t> OutLane::share_file(SharedFile& file, comch::shm::Range source) {
  const bool is_long = options_.cooperative != 0 && source.length >= options_.cooperative;
  const bool is_in_files = comch::shm::contains(comch::shm::kMaxLaneLength, source);
  if (!is_long || !is_in_files || memory_.empty() || !consumer_->reads_files) return std::nullopt;
  // A file that ends before is not shared, and mostly the end of one that is cached is, too.
  std::array<std::byte, 64> end;
  if (!os::read_cached(file.fd, end, source.offset + source.length - end.size()))
    return std::nullopt;
  const Result<std::uint32_t> number = consumer_->number_of(file);
  return number ? std::optional(*number) : std::nullopt;
}

Outcome OutLane::put_file(std::uint32_t number, const std::shared_ptr<const SharedFile>& file,
                          comch::shm::Range source, Bytes immediate) {
  if (const Outcome checked = check(immediate); checked != Outcome::kSent) return checked;
  if (layout_.shape.head_credit && out_.writer.room() == 0) return nothing();
  unprepare();
  Posted posted;
  if (!seat_.take(posted)) return nothing();
  if (source.length > posted.capacity) {
    keep(posted);
    return Outcome::kTooLong;
  }
  hinder();
  return under_way_.put_reading(posted, number, file, source, immediate);
}

// --- In place ----------------------------------------------------------------------------

Outcome OutLane::reserve(std::uint32_t& slot, std::span<std::byte>& room) {
  if (const Outcome checked = check({}); checked != Outcome::kSent) return checked;
  const std::optional<std::uint32_t> free = loans_.free();
  if (!free) return Outcome::kBusy;
  unprepare();
  Posted posted;
  if (!seat_.take(posted)) return nothing();
  if (posted.capacity == 0) {
    keep(posted);
    return Outcome::kTooLong;
  }
  loans_.lend(*free, posted);
  slot = *free;
  room = memory_.subspan(posted.offset, posted.capacity);
  // Stores wait for their lines one after the other; asked for now, both come together.
  prefetch_for_write(room.data());
  prefetch_for_write(out_.writer.next_slot());
  return Outcome::kSent;
}

Outcome OutLane::commit(std::uint32_t slot, std::size_t length, Bytes immediate) {
  if (const Outcome checked = check(immediate); checked != Outcome::kSent) return checked;
  if (layout_.shape.head_credit && out_.writer.room() == 0) return nothing();
  unprepare();
  const std::uint16_t index = loans_.end(slot).index;
  if (length == 0) {
    out_.writer.put_immediate(index, immediate);
  } else {
    out_.writer.put_direct(index, length, immediate);
  }
  return put_done(&LaneCounters::loaned, length);
}

bool OutLane::abandon(std::uint32_t slot) {
  hinder();
  return seat_.pass_on(loans_.end(slot));
}

// --- Hand-over ---------------------------------------------------------------------------

Outcome OutLane::hand_over(std::uint32_t map, std::uint32_t handle, comch::shm::Range buffer,
                           Bytes immediate) {
  if (const Outcome checked = check(immediate); checked != Outcome::kSent) return checked;
  if (layout_.shape.head_credit && out_.writer.room() == 0) return nothing();
  unprepare();
  Posted posted;
  if (!seat_.take(posted)) return nothing();
  handles_.lend(handle);
  out_.writer.put_hand_over(posted.index, map, handle, buffer, immediate);
  return put_done(&LaneCounters::handed_over, buffer.length);
}

std::optional<std::uint32_t> OutLane::take_returned() {
  std::uint32_t handle = 0;
  switch (handles_.take_returned(handle)) {
    case comch::shm::Look::kMessage:
      return handle;
    case comch::shm::Look::kBroken:
      break_off({Errc::connection_reset, 0, "the consumer gave back what it does not have"});
      break;
    case comch::shm::Look::kNothing:
      break;
  }
  return std::nullopt;
}

}  // namespace comch::transport::shm
