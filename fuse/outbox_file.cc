// What files that messages are written to have in common; see outbox_file.h.
#include "outbox_file.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "object_record.h"
#include "outcome.h"

namespace comch::fuse {

int write_errno(const Error& error) {
  return error.code == Errc::connection_reset ? EPIPE : errno_of(error);
}

// A write that waits for room for what is left of it.
class OutboxFile::HeldWrite final : public HeldRequest, public WaitingSend {
 public:
  HeldWrite(OutboxFile& file, Request request, std::span<const std::byte> rest, std::size_t used)
      : HeldRequest(std::move(request)),
        file_(file),
        bytes_(rest.begin(), rest.end()),
        used_before_(used) {}

  bool admit() override { return admit_interrupts(); }
  void answer_interrupted() override { fail(EINTR); }

  bool retry() override {
    const Progress progress = file_.take(std::span(bytes_).subspan(used_), true);
    used_ += progress.used;
    if (progress.error == EAGAIN) return false;
    answer(progress.error, progress.reason);
    return true;
  }

  void fail(int error) override { answer(error, "the message was not sent"); }
  Place place() const override { return file_.place(); }

 private:
  void answer(int error, std::string reason) {
    file_.answer(request(),
                 {.used = used_before_ + used_, .error = error, .reason = std::move(reason)});
  }

  void interrupted() override {
    answer_interrupted();
    file_.outbox().leave(*this);
  }

  OutboxFile& file_;
  const std::vector<std::byte> bytes_;
  const std::size_t used_before_;
  std::size_t used_ = 0;
};

OutboxFile::Progress OutboxFile::failed(const Error& error) const {
  Progress progress{.error = 0, .reason = reason_of(error)};
  if (error.code == Errc::again) {
    progress.error = EAGAIN;
  } else if (record->removed) {
    progress.error = ENODEV;
  } else if (const int refusal = outbox_->refusal(); refusal != 0) {
    progress.error = refusal;
  } else {
    progress.error = write_errno(error);
  }
  return progress;
}

void OutboxFile::answer(Request& request, const Progress& progress) {
  const bool waits = progress.error == EAGAIN || progress.error == EINTR;
  if (progress.error != 0) on_cut_short(progress.error);
  if (progress.error != 0 && !waits) record->note_failure(progress.error, progress.reason);
  if (progress.error == 0 || progress.used > 0) {
    request.written(progress.used);
  } else {
    request.fail(progress.error);
  }
}

void OutboxFile::write(Request request, const Write& write) {
  Progress progress = refuse(write);
  if (progress.error == 0) progress = take(write.bytes, false);
  if (progress.error != EAGAIN || write.nonblocking) return answer(request, progress);
  outbox_->wait(std::make_unique<HeldWrite>(*this, std::move(request),
                                            write.bytes.subspan(progress.used), progress.used));
}

unsigned OutboxFile::readiness() {
  if (is_polled()) outbox_->pollers.join(*this);
  if (record->removed) return POLLERR | POLLHUP;
  if (outbox_->refusal() != 0) return POLLHUP | POLLRDHUP;
  if (has_room()) return POLLOUT | POLLWRNORM;
  if (is_polled()) outbox_->listen(place());
  return 0;
}

}  // namespace comch::fuse
