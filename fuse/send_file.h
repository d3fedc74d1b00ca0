// SendFile: an open file that messages are written to, and its three kinds.
//
//   SendFile        send          one write(2) is one message
//   PutFile         put           everything from open to the last close is one message
//   FramedSendFile  send.framed   "LEN\n" + bytes, many messages per write
//
// A write succeeds when the message is in the peer's queue (put: when it is kept). When
// the queue is full a write waits, or answers EAGAIN when it must not wait; a signal
// ends the wait, and then nothing of that message was sent.
//
// Threads: the loop's. Errors: EMSGSIZE, EAGAIN, EINTR, EPIPE (the peer is gone), ENODEV
// (the object was removed), EINVAL (no frame).
#pragma once

#include <memory>
#include <vector>

#include "framing.h"
#include "open_file.h"
#include "outbox.h"

namespace comch::fuse {

// What the three have in common.
class OutboxFile : public OpenFile {
 public:
  explicit OutboxFile(std::shared_ptr<Outbox> outbox) : outbox_(std::move(outbox)) {}
  ~OutboxFile() override { outbox_->pollers.leave(*this); }

  unsigned readiness() override;

 protected:
  Outbox& outbox() { return *outbox_; }
  const std::shared_ptr<Outbox>& shared_outbox() const { return outbox_; }

 private:
  const std::shared_ptr<Outbox> outbox_;
};

class SendFile final : public OutboxFile {
 public:
  using OutboxFile::OutboxFile;
  void write(Request request, const Write& write) override;

 private:
  // With O_APPEND the kernel sends the file's size for an offset, and a continuation
  // cannot be told from a write.
  bool is_continuation(const Write& write) const { return write.offset > 0 && !write.appending; }
};

class PutFile final : public OutboxFile {
 public:
  using OutboxFile::OutboxFile;
  void write(Request request, const Write& write) override;
  void closing() override;

 private:
  class Turn;
  void keep(Request& request, std::span<const std::byte> bytes);

  std::vector<std::byte> message_;
  bool spoilt_ = false;  // A write failed: what was kept is not the message that was meant.
};

class FramedSendFile final : public OutboxFile {
 public:
  using OutboxFile::OutboxFile;
  void write(Request request, const Write& write) override;
  void closing() override;

 private:
  class Held;

  // How far a write got. `error` is EAGAIN when there was no room.
  struct Progress {
    std::size_t used;
    int error;
  };
  Progress send_frames(std::span<const std::byte> bytes, bool is_first_in_line);
  Progress send_whole(std::span<const std::byte> bytes, std::size_t used, bool is_first_in_line);
  Progress finish_begun(std::span<const std::byte> bytes, bool is_first_in_line);
  Status send_one(std::span<const std::byte> message, bool is_first_in_line);
  int failed_frame(Frame::Kind kind);

  std::vector<std::byte> begun_;  // A frame of which earlier writes brought the beginning.
};

// The errno of a failed send.
int send_errno(const ObjectRecord& record, const Error& error);

}  // namespace comch::fuse
