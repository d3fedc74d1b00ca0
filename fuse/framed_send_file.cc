// send.framed: many messages in one write; see send_file.h.
//
// Frames need not end where a write ends: cp writes blocks. What a write brings of a
// frame that it does not finish is kept for the next one.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "object_record.h"
#include "outcome.h"
#include "send_file.h"

namespace comch::fuse {

// A write that waits for room for the rest of its frames.
class FramedSendFile::Held final : public HeldRequest, public WaitingSend {
 public:
  Held(FramedSendFile& file, Request request, std::span<const std::byte> rest, std::size_t used)
      : HeldRequest(std::move(request)),
        file_(file),
        bytes_(rest.begin(), rest.end()),
        used_before_(used) {}

  bool admit() override { return admit_interrupts(); }
  void answer_interrupted() override { answer(EINTR); }

  bool retry() override {
    const Progress progress = file_.send_frames(std::span(bytes_).subspan(used_), true);
    used_ += progress.used;
    if (progress.error == EAGAIN) return false;
    answer(progress.error);
    return true;
  }

  void fail(int error) override { answer(error); }

 private:
  // A write that got anywhere says how far; its error comes with the next one.
  void answer(int error) {
    const std::size_t used = used_before_ + used_;
    if (error == 0 || used > 0) {
      request().written(used);
    } else {
      request().fail(error);
    }
  }

  void interrupted() override {
    answer_interrupted();
    file_.outbox().leave(*this);
  }

  FramedSendFile& file_;
  const std::vector<std::byte> bytes_;
  const std::size_t used_before_;
  std::size_t used_ = 0;
};

Status FramedSendFile::send_one(std::span<const std::byte> message, bool is_first_in_line) {
  return is_first_in_line ? outbox().send_first(message) : outbox().send(message);
}

int FramedSendFile::failed_frame(Frame::Kind kind) {
  const bool too_long = kind == Frame::Kind::kTooLong;
  const int error = too_long ? EMSGSIZE : EINVAL;
  record->note_failure(error, too_long ? "a frame is longer than a message"
                                       : "not a frame: LEN, a newline and LEN bytes");
  return error;
}

FramedSendFile::Progress FramedSendFile::finish_begun(std::span<const std::byte> bytes,
                                                      bool is_first_in_line) {
  const std::size_t before = begun_.size();
  std::size_t used = 0;
  while (true) {
    const Frame frame = next_frame(begun_, outbox().max_message_size());
    if (frame.kind == Frame::Kind::kIncomplete) {
      const auto piece = bytes.subspan(used, std::min(frame.size, bytes.size() - used));
      if (piece.empty()) return {used, 0};
      begun_.insert(begun_.end(), piece.begin(), piece.end());
      used += piece.size();
      continue;
    }
    if (frame.kind != Frame::Kind::kWhole) {
      begun_.clear();
      return {0, failed_frame(frame.kind)};
    }
    const Status sent = send_one(frame.message, is_first_in_line);
    if (sent) {
      begun_.clear();
      return {used, 0};
    }
    // As if this write had not brought anything: it will bring it again.
    begun_.resize(before);
    if (sent.error().code == Errc::again) return {0, EAGAIN};
    return {0, send_errno(*record, sent.error())};
  }
}

FramedSendFile::Progress FramedSendFile::send_whole(std::span<const std::byte> bytes,
                                                    std::size_t used, bool is_first_in_line) {
  while (used < bytes.size()) {
    const Frame frame = next_frame(bytes.subspan(used), outbox().max_message_size());
    if (frame.kind == Frame::Kind::kIncomplete) {
      begun_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
      return {bytes.size(), 0};
    }
    if (frame.kind != Frame::Kind::kWhole) return {used, failed_frame(frame.kind)};
    const Status sent = send_one(frame.message, is_first_in_line);
    if (!sent && sent.error().code == Errc::again) return {used, EAGAIN};
    if (!sent) return {used, send_errno(*record, sent.error())};
    used += frame.size;
  }
  return {used, 0};
}

FramedSendFile::Progress FramedSendFile::send_frames(std::span<const std::byte> bytes,
                                                     bool is_first_in_line) {
  std::size_t used = 0;
  if (!begun_.empty()) {
    const Progress begun = finish_begun(bytes, is_first_in_line);
    if (begun.error != 0 || !begun_.empty()) return begun;
    used = begun.used;
  }
  return send_whole(bytes, used, is_first_in_line);
}

void FramedSendFile::write(Request request, const Write& write) {
  const Progress progress = send_frames(write.bytes, false);
  if (progress.error == EAGAIN && !write.nonblocking) {
    outbox().wait(std::make_unique<Held>(*this, std::move(request),
                                         write.bytes.subspan(progress.used), progress.used));
  } else if (progress.error == 0 || progress.used > 0) {
    request.written(progress.used);
  } else {
    if (progress.error == EPIPE || progress.error == ENODEV) {
      record->note_failure(progress.error, "the peer is gone");
    }
    request.fail(progress.error);
  }
}

void FramedSendFile::closing() {
  if (!begun_.empty()) record->note_failure(EINVAL, "the last frame was never finished");
}

}  // namespace comch::fuse
