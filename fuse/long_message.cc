// The parts of one long message; see long_message.h.
#include "long_message.h"

#include <cerrno>

#include "arrival.h"

namespace comch::fuse {

bool LongMessage::on_part(std::shared_ptr<const Arrival> part) {
  const auto mark = part_mark_of(part->immediate());
  if (mark == PartMark::kCutShort) {
    cut_short(ECONNRESET);
    return false;
  }
  has_last_ = mark != PartMark::kMore;
  if (is_dropped_) return !has_last_;
  while (!waiting.empty()) {
    // It is out of the queue meanwhile: with the last part the file lets go of the queue.
    auto read = waiting.take_first();
    const Offer offer = read->offer({.from = this, .arrival = part});
    if (offer == Offer::kLost) continue;
    if (offer == Offer::kTaken) return !has_last_;
    if (has_last_) {
      read->request().fail(EINTR);  // What comes next comes from elsewhere: ask again.
    } else {
      waiting.put_back(std::move(read));
    }
    return !has_last_;
  }
  parts_.push_back(std::move(part));
  pollers.wake();
  return !has_last_;
}

void LongMessage::cut_short(int loss) { set_ended(loss); }

void LongMessage::drop() {
  is_dropped_ = true;
  parts_.clear();
}

std::optional<Message> LongMessage::take() {
  if (parts_.empty()) return std::nullopt;
  auto part = std::move(parts_.front());
  parts_.pop_front();
  return Message{.from = this, .arrival = std::move(part)};
}

void LongMessage::give_back(const Message& message) { parts_.push_front(message.arrival); }

}  // namespace comch::fuse
