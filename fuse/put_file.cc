// put; see put_file.h.
#include "put_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "object_record.h"

namespace comch::fuse {
namespace {

// Puts that were closed and wait for room, per outbox. Each keeps its message; the next one
// has to wait before it may keep anything.
constexpr std::size_t kPutsMax = 64;

WaitingSend::Place place_of(const Put& put) {
  return put.has_begun() ? WaitingSend::Place::kFirst : WaitingSend::Place::kLast;
}

// The message of a put whose file is closed already: nobody waits for it.
class ClosedPut final : public WaitingSend {
 public:
  ClosedPut(std::shared_ptr<ObjectRecord> record, std::unique_ptr<Put> put, KeptMemory memory)
      : record_(std::move(record)), memory_(std::move(memory)), put_(std::move(put)) {}

  bool retry() override {
    const Status sent = put_->finish(true);
    if (!sent && sent.error().code == Errc::again) return false;
    if (!sent) fail(write_errno(sent.error()));
    return true;
  }

  void fail(int error) override {
    record_->note_failure(error, fmt::format("a put of {} bytes was not sent", put_->size()));
  }

  bool is_promised() const override { return true; }
  Place place() const override { return place_of(*put_); }

 private:
  const std::shared_ptr<ObjectRecord> record_;
  const KeptMemory memory_;
  const std::unique_ptr<Put> put_;
};

}  // namespace

OutboxFile::Progress PutFile::take(std::span<const std::byte> bytes, bool is_first_in_line) {
  is_cut_short_ = false;
  if (spoilt_by_ != 0) return {.error = spoilt_by_, .reason = "an earlier write failed"};
  if (outbox().refusal() != 0)
    return failed({.code = Errc::connection_reset, .what = outbox().why_refused()});
  const bool is_new = put_->size() == 0;
  if (is_new && !is_first_in_line && outbox().waiting() >= kPutsMax) return {.error = EAGAIN};
  std::size_t used = 0;
  while (used < bytes.size()) {
    const auto taken = put_->write(bytes.subspan(used), is_first_in_line);
    if (!taken) {
      Progress progress = failed(taken.error());
      progress.used = used;
      return progress;
    }
    if (!memory_.grow_to(put_->kept(), record->owner)) {
      return {.error = EDQUOT, .reason = KeptMemory::kWhyNot};
    }
    used += *taken;
  }
  return {.used = used};
}

void PutFile::on_cut_short(int error) {
  if (error == EAGAIN || error == EINTR) {
    is_cut_short_ = true;
  } else {
    spoilt_by_ = error;
    put_ = outbox().begin_put();  // Nothing is kept any more, and nothing will come.
    memory_.give_back();
  }
}

Outbox::Place PutFile::place() const { return place_of(*put_); }

bool PutFile::has_room() const {
  return put_->has_begun() ? put_->has_room() : outbox().has_room();
}

void PutFile::closing() {
  if (is_cut_short_) record->note_failure(EINTR, "a put was closed before it was whole");
  if (is_cut_short_ || spoilt_by_ != 0) return;
  const Status sent = put_->finish(false);
  if (sent) return;
  if (sent.error().code == Errc::again) {
    outbox().wait(std::make_unique<ClosedPut>(record, std::move(put_), std::move(memory_)));
  } else {
    const Progress why = failed(sent.error());
    record->note_failure(why.error, why.reason);
  }
}

}  // namespace comch::fuse
