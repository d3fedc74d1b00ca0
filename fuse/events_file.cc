// The file `events`; see events_file.h.
#include "events_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "object_record.h"

namespace comch::fuse {

class EventsFile::HeldRead final : public HeldRequest {
 public:
  HeldRead(EventsFile& file, Request request, std::size_t read_size)
      : HeldRequest(std::move(request)), size(read_size), file_(file) {}

  const std::size_t size;

 private:
  void interrupted() override {
    request().fail(EINTR);
    std::erase_if(file_.held_, [this](const auto& held) { return held.get() == this; });
  }

  EventsFile& file_;
};

void EventStream::publish(std::string_view line) {
  log_.append(line);
  for (EventsFile* file : files_) file->serve();
}

void EventStream::fail_readers(int error) {
  for (EventsFile* file : files_) {
    for (auto all = std::exchange(file->held_, {}); const auto& held : all) {
      held->request().fail(error);
    }
    file->wake_pollers();
  }
}

EventsFile::EventsFile(std::shared_ptr<EventStream> stream)
    : stream_(std::move(stream)), cursor_(stream_->log_.end()) {
  stream_->files_.insert(this);
}

EventsFile::~EventsFile() { stream_->files_.erase(this); }

// False: there is no line, and the request is still to be answered.
bool EventsFile::deliver(Request& request, std::size_t size) {
  if (rest_.empty()) {
    auto line = stream_->log_.next(cursor_);
    if (!line) return false;
    rest_ = std::move(*line);
  }
  const std::string_view piece = std::string_view(rest_).substr(0, size);
  // A reader that is gone leaves the line to the next read of this file.
  if (request.data(piece)) rest_.erase(0, piece.size());
  return true;
}

void EventsFile::serve() {
  while (!held_.empty() && deliver(held_.front()->request(), held_.front()->size)) {
    held_.pop_front();
  }
  wake_pollers();
}

void EventsFile::read(Request request, const Read& read) {
  // No line fills a request, so that none is a later part of a read(2), whatever its offset.
  if (deliver(request, read.size)) {
    return;
  } else if (record->removed) {
    request.fail(ENODEV);
  } else if (read.nonblocking) {
    request.fail(EAGAIN);
  } else {
    auto held = std::make_unique<HeldRead>(*this, std::move(request), read.size);
    if (held->admit_interrupts()) held_.push_back(std::move(held));
  }
}

unsigned EventsFile::readiness() {
  unsigned events = record->removed ? POLLERR | POLLHUP : 0U;
  if (!rest_.empty() || cursor_ != stream_->log_.end()) events |= POLLIN;
  return events;
}

}  // namespace comch::fuse
