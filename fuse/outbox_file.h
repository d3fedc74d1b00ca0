// OutboxFile: an open file that messages are written to; its kinds are in send_file.h and
// put_file.h.
//
// A write succeeds when its bytes are taken, which means that whole messages are in the
// peer's queue. When there is no room a write waits, or answers EAGAIN when it must not
// wait; a signal ends the wait. One that got anywhere says how far, and its error comes
// with the next one.
//
// Threads: the loop's. Errors: EMSGSIZE, EAGAIN, EINTR, EPIPE (the peer is gone), ENXIO (it
// does not run), ENODEV (the object was removed), EINVAL (no frame).
#pragma once

#include <memory>
#include <string>

#include "open_file.h"
#include "outbox.h"

namespace comch::fuse {

// The errno of a send that failed: a peer that is gone is EPIPE to who writes.
int write_errno(const Error& error);

class OutboxFile : public OpenFile {
 public:
  explicit OutboxFile(std::shared_ptr<Outbox> outbox) : outbox_(std::move(outbox)) {}
  ~OutboxFile() override { outbox_->pollers.leave(*this); }

  void write(Request request, const Write& write) final;
  unsigned readiness() final;

 protected:
  // How far a write got. `error` is EAGAIN when there was no room.
  struct Progress {
    std::size_t used = 0;
    int error = 0;
    std::string reason = {};  // In words.
  };
  virtual Progress take(std::span<const std::byte> bytes, bool is_first_in_line) = 0;
  // A write that cannot be taken, whatever room there is: an errno and the reason, or 0.
  virtual Progress refuse(const Write&) const { return {}; }
  // A write ended before all of it was taken.
  virtual void on_cut_short(int) {}
  virtual Outbox::Place place() const { return Outbox::Place::kLast; }
  virtual bool has_room() const { return outbox_->has_room(); }

  Progress failed(const Error& error) const;
  Outbox& outbox() const { return *outbox_; }

 private:
  class HeldWrite;

  void answer(Request& request, const Progress& progress);

  const std::shared_ptr<Outbox> outbox_;
};

}  // namespace comch::fuse
