// A put through a producer; see long_put.h.
#include "long_put.h"

#include <algorithm>

namespace comch::fuse {
namespace {

constexpr std::size_t kWholeMax = std::size_t{16} << 20;

}  // namespace

LongPut::~LongPut() {
  if (has_begun_ && !is_finished_ && !is_over()) outbox_.cut_short();
}

Result<std::size_t> LongPut::write(std::span<const std::byte> bytes, bool is_first_in_line) {
  if (is_over()) return fail(Errc::connection_reset, "the put was cut short");
  if (kept_.size() >= limit_) {
    if (!may_send(is_first_in_line)) return fail(Errc::again);
    if (Status made = make_room(); !made) return std::unexpected(made.error());
  }
  const auto piece = bytes.first(std::min(bytes.size(), limit_ - kept_.size()));
  kept_.insert(kept_.end(), piece.begin(), piece.end());
  size_ += piece.size();
  return piece.size();
}

Status LongPut::make_room() {
  if (!has_begun_) {
    const auto room = outbox_.next_room();
    if (!room) return std::unexpected(room.error());
    limit_ = std::max(std::min(*room, kWholeMax), ProducerOutbox::kMessageMax);
    if (kept_.size() < limit_) return {};
    limit_ = ProducerOutbox::kMessageMax;
  }
  return send_parts(false);
}

Status LongPut::send_parts(bool is_end) {
  cuts_ = has_begun_ ? cuts_ : outbox_.cuts();
  do {
    const auto sent = outbox_.send_part(std::span(kept_).subspan(sent_), is_end);
    if (!sent) return std::unexpected(sent.error());
    has_begun_ = true;
    sent_ += *sent;
  } while (sent_ < kept_.size());
  kept_.clear();
  sent_ = 0;
  is_finished_ = is_end;
  return {};
}

Status LongPut::finish(bool is_first_in_line) {
  if (is_over()) return fail(Errc::connection_reset, "the put was cut short");
  if (!may_send(is_first_in_line)) return fail(Errc::again);
  if (!has_begun_) {
    const Status sent = outbox_.send_first(kept_);
    if (sent || sent.error().code != Errc::too_big) return sent;
  }
  return send_parts(true);
}

}  // namespace comch::fuse
