// send and put; see send_file.h. The framed kind is in framed_send_file.cc.
#include "send_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "object_record.h"
#include "outcome.h"

namespace comch::fuse {
namespace {

// Puts that were closed and wait for room, per connection. Each is at most one message;
// the next put has to wait before it may keep anything.
constexpr std::size_t kPutsMax = 64;

// A write to `send` that waits for room.
class HeldMessage final : public HeldRequest, public WaitingSend {
 public:
  HeldMessage(std::shared_ptr<Outbox> outbox, std::shared_ptr<ObjectRecord> record, Request request,
              std::span<const std::byte> message)
      : HeldRequest(std::move(request)),
        outbox_(std::move(outbox)),
        record_(std::move(record)),
        message_(message.begin(), message.end()) {}

  bool admit() override { return admit_interrupts(); }

  bool retry() override {
    const Status sent = outbox_->send_first(message_);
    if (sent) {
      request().written(message_.size());
    } else if (sent.error().code == Errc::again) {
      return false;
    } else {
      fail(send_errno(*record_, sent.error()));
    }
    return true;
  }

  void fail(int error) override {
    record_->note_failure(error, "the message was not sent");
    request().fail(error);
  }

 private:
  void interrupted() override {
    request().fail(EINTR);
    outbox_->leave(*this);
  }

  const std::shared_ptr<Outbox> outbox_;
  const std::shared_ptr<ObjectRecord> record_;
  const std::vector<std::byte> message_;
};

// The message of a put whose file is closed already: nobody waits for it.
class ClosedPut final : public WaitingSend {
 public:
  ClosedPut(Outbox& outbox, std::shared_ptr<ObjectRecord> record, std::vector<std::byte> message)
      : outbox_(outbox), record_(std::move(record)), message_(std::move(message)) {}

  bool retry() override {
    const Status sent = outbox_.send_first(message_);
    if (!sent && sent.error().code == Errc::again) return false;
    if (!sent) fail(send_errno(*record_, sent.error()));
    return true;
  }

  void fail(int error) override {
    record_->note_failure(error, fmt::format("a put of {} bytes was not sent", message_.size()));
  }

 private:
  Outbox& outbox_;  // Which owns this.
  const std::shared_ptr<ObjectRecord> record_;
  const std::vector<std::byte> message_;
};

void fail_write(Request& request, ObjectRecord& record, int error, std::string_view reason) {
  record.note_failure(error, reason);
  request.fail(error);
}

}  // namespace

int send_errno(const ObjectRecord& record, const Error& error) {
  if (record.removed) return ENODEV;
  if (error.code == Errc::connection_reset || error.code == Errc::not_connected) return EPIPE;
  if (error.code == Errc::bad_state) return EPIPE;  // This side is closing.
  if (error.code == Errc::too_big) return EMSGSIZE;
  return errno_of(error);
}

unsigned OutboxFile::readiness() {
  if (is_polled()) outbox_->pollers.join(*this);
  if (record->removed) return POLLERR | POLLHUP;
  if (outbox_->is_over()) return POLLHUP | POLLRDHUP;
  if (outbox_->has_room()) return POLLOUT | POLLWRNORM;
  if (is_polled()) outbox_->listen();
  return 0;
}

void SendFile::write(Request request, const Write& write) {
  if (is_continuation(write)) {
    return fail_write(request, *record, EINVAL, "a write in more than 256 pieces is no message");
  }
  const Status sent = outbox().send(write.bytes);
  if (sent) {
    request.written(write.bytes.size());
  } else if (sent.error().code != Errc::again) {
    fail_write(request, *record, send_errno(*record, sent.error()), reason_of(sent.error()));
  } else if (write.nonblocking) {
    request.fail(EAGAIN);
  } else {
    outbox().wait(
        std::make_unique<HeldMessage>(shared_outbox(), record, std::move(request), write.bytes));
  }
}

// The first write of a put, waiting because too many closed puts wait.
class PutFile::Turn final : public HeldRequest, public WaitingSend {
 public:
  Turn(PutFile& file, Request request, std::span<const std::byte> bytes)
      : HeldRequest(std::move(request)), file_(file), bytes_(bytes.begin(), bytes.end()) {}

  bool admit() override { return admit_interrupts(); }
  bool retry() override {
    file_.keep(request(), bytes_);
    return true;
  }
  void fail(int error) override {
    file_.spoilt_ = true;
    request().fail(error);
  }

 private:
  void interrupted() override {
    file_.spoilt_ = true;
    request().fail(EINTR);
    file_.outbox().leave(*this);
  }

  PutFile& file_;
  const std::vector<std::byte> bytes_;
};

void PutFile::keep(Request& request, std::span<const std::byte> bytes) {
  message_.insert(message_.end(), bytes.begin(), bytes.end());
  request.written(bytes.size());
}

void PutFile::write(Request request, const Write& write) {
  const bool too_long = message_.size() + write.bytes.size() > outbox().max_message_size();
  const bool over = record->removed || outbox().is_over();
  if (too_long || over) {
    spoilt_ = true;
    const int error = too_long ? EMSGSIZE : record->removed ? ENODEV : EPIPE;
    return fail_write(request, *record, error,
                      too_long ? "the put is longer than a message" : "the peer is gone");
  }
  if (!message_.empty() || outbox().waiting() < kPutsMax) return keep(request, write.bytes);
  if (write.nonblocking) {
    spoilt_ = true;
    request.fail(EAGAIN);
  } else {
    outbox().wait(std::make_unique<Turn>(*this, std::move(request), write.bytes));
  }
}

void PutFile::closing() {
  if (spoilt_) return;
  const Status sent = outbox().send(message_);
  if (sent) return;
  if (sent.error().code == Errc::again) {
    outbox().wait(std::make_unique<ClosedPut>(outbox(), record, std::move(message_)));
  } else {
    record->note_failure(send_errno(*record, sent.error()), reason_of(sent.error()));
  }
}

}  // namespace comch::fuse
