// send and send.framed; see send_file.h.
//
// Frames need not end where a write ends: cp writes blocks. What a write brings of a
// frame that it does not finish is kept for the next one.
#include "send_file.h"

#include <algorithm>
#include <cerrno>

#include "object_record.h"

namespace comch::fuse {

OutboxFile::Progress SendFile::refuse(const Write& write) const {
  // With O_APPEND the kernel sends the file's size for an offset, and a continuation
  // cannot be told from a write.
  if (write.offset == 0 || write.appending) return {};
  return {.error = EINVAL, .reason = "a write in more than 256 pieces is no message"};
}

OutboxFile::Progress SendFile::take(std::span<const std::byte> bytes, bool is_first_in_line) {
  const Status sent = is_first_in_line ? outbox().send_first(bytes) : outbox().send(bytes);
  return sent ? Progress{.used = bytes.size()} : failed(sent.error());
}

Status FramedSendFile::send_one(std::span<const std::byte> message, bool is_first_in_line) {
  return is_first_in_line ? outbox().send_first(message) : outbox().send(message);
}

namespace {

int frame_errno(Frame::Kind kind) { return kind == Frame::Kind::kTooLong ? EMSGSIZE : EINVAL; }

const char* frame_reason(Frame::Kind kind, const Outbox& outbox) {
  return kind == Frame::Kind::kTooLong ? outbox.why_too_long()
                                       : "not a frame: LEN, a newline and LEN bytes";
}

}  // namespace

OutboxFile::Progress FramedSendFile::finish_begun(std::span<const std::byte> bytes,
                                                  bool is_first_in_line) {
  const std::size_t before = begun_.size();
  std::size_t used = 0;
  while (true) {
    const Frame frame = next_frame(begun_, outbox().max_message_size());
    if (frame.kind == Frame::Kind::kIncomplete) {
      const auto piece = bytes.subspan(used, std::min(frame.size, bytes.size() - used));
      if (piece.empty()) return keep(used, 0);
      begun_.insert(begun_.end(), piece.begin(), piece.end());
      used += piece.size();
      continue;
    }
    if (frame.kind != Frame::Kind::kWhole) {
      begun_.clear();
      return {.error = frame_errno(frame.kind), .reason = frame_reason(frame.kind, outbox())};
    }
    const Status sent = send_one(frame.message, is_first_in_line);
    if (sent) {
      begun_.clear();
      return {.used = used};
    }
    begun_.resize(before);  // As if this write had not brought anything: it will bring it again.
    return failed(sent.error());
  }
}

OutboxFile::Progress FramedSendFile::send_whole(std::span<const std::byte> bytes, std::size_t used,
                                                bool is_first_in_line) {
  while (used < bytes.size()) {
    const Frame frame = next_frame(bytes.subspan(used), outbox().max_message_size());
    if (frame.kind == Frame::Kind::kIncomplete) {
      begun_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
      return keep(bytes.size(), used);
    }
    if (frame.kind != Frame::Kind::kWhole) {
      return {.used = used,
              .error = frame_errno(frame.kind),
              .reason = frame_reason(frame.kind, outbox())};
    }
    if (const Status sent = send_one(frame.message, is_first_in_line); !sent) {
      Progress progress = failed(sent.error());
      progress.used = used;
      return progress;
    }
    used += frame.size;
  }
  return {.used = used};
}

OutboxFile::Progress FramedSendFile::keep(std::size_t used, std::size_t before) {
  if (memory_.grow_to(begun_.capacity(), record->owner)) return {.used = used};
  std::vector<std::byte>().swap(begun_);
  return {.used = before, .error = EDQUOT, .reason = KeptMemory::kWhyNot};
}

OutboxFile::Progress FramedSendFile::take(std::span<const std::byte> bytes, bool is_first_in_line) {
  std::size_t used = 0;
  if (!begun_.empty()) {
    Progress begun = finish_begun(bytes, is_first_in_line);
    if (begun.error != 0 || !begun_.empty()) return begun;
    used = begun.used;
  }
  return send_whole(bytes, used, is_first_in_line);
}

// Who was to wait brings the rest again. Else the next write begins with a frame: taken for the
// rest of one that failed, it would be lost, too.
void FramedSendFile::on_cut_short(int error) {
  if (error != EAGAIN && error != EINTR) begun_.clear();
}

void FramedSendFile::closing() {
  if (!begun_.empty()) record->note_failure(EINVAL, "the last frame was never finished");
}

}  // namespace comch::fuse
