// Open files that messages are read from; see message_file.h.
#include "message_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "framing.h"
#include "object_record.h"

namespace comch::fuse {
namespace {

std::uint64_t next_ticket() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

HeldRead::HeldRead(MessageFile& file, Request request, std::size_t size)
    : HeldRequest(std::move(request)), file_(file), size_(size), ticket_(next_ticket()) {}

Offer HeldRead::offer(const Message& message) { return file_.offer(request(), size_, message); }

void HeldRead::end() { file_.tell_end(request()); }

void HeldRead::interrupted() {
  request().fail(EINTR);
  file_.source().waiting.remove(*this);
}

bool ReadQueue::hold(std::unique_ptr<HeldRead> read) {
  if (!read->admit_interrupts()) return false;
  reads_.push_back(std::move(read));
  return true;
}

void ReadQueue::remove(const HeldRead& read) {
  std::erase_if(reads_, [&](const auto& one) { return one.get() == &read; });
}

void ReadQueue::fail_all(int error) {
  for (auto all = std::exchange(reads_, {}); const auto& read : all) read->request().fail(error);
}

void ReadQueue::end_all() {
  for (auto all = std::exchange(reads_, {}); const auto& read : all) read->end();
}

MessageFile::MessageFile(std::shared_ptr<MessageSource> source)
    : source_(std::move(source)), opened_before_end_(!source_->has_ended()) {}

MessageFile::~MessageFile() { source_->pollers.leave(*this); }

void MessageFile::read(Request request, const Read& read) {
  if (rest_begin_ < rest_.size()) return give_rest(std::move(request), read.size);
  // Later pages of one read(2) whose first page was filled: never a second message.
  if (read.offset > 0 || is_finished()) {
    request.data(std::string_view());
    return;
  }
  while (!record->removed) {
    const auto message = source_->take();
    if (!message) break;
    if (offer_taken(request, read.size, *message) != Offer::kSkipped) return;
  }
  if (source_->has_ended()) {
    tell_end(request);
  } else if (record->removed) {
    request.fail(ENODEV);
  } else if (read.nonblocking) {
    request.fail(EAGAIN);
  } else if (source_->waiting.hold(
                 std::make_unique<HeldRead>(*this, std::move(request), read.size))) {
    source_->listen();
  }
}

Offer MessageFile::offer_taken(Request& request, std::size_t size, const Message& message) {
  const Offer made = offer(request, size, message);
  if (made == Offer::kLost) message.from->give_back(message.bytes);
  return made;
}

void MessageFile::give_rest(Request request, std::size_t size) {
  const auto rest = std::span(rest_).subspan(rest_begin_);
  const auto piece = rest.first(std::min(size, rest.size()));
  if (request.data(piece)) rest_begin_ += piece.size();
}

Offer MessageFile::answer(Request& request, std::size_t size, std::span<const std::byte> bytes,
                          Inbox& from) {
  const auto piece = bytes.first(std::min(size, bytes.size()));
  if (!request.data(piece)) return Offer::kLost;
  if (piece.size() < bytes.size()) {
    const auto rest = bytes.subspan(piece.size());
    rest_.assign(rest.begin(), rest.end());
    rest_begin_ = 0;
    rest_from_ = from.shared_from_this();
  }
  return Offer::kTaken;
}

void MessageFile::tell_end(Request& request) {
  // Everybody who had the file open when the peer was lost is told so once; if nobody
  // had, the first to open it afterwards is.
  const bool untold = !loss_told_ && (opened_before_end_ || !source_->was_loss_told());
  if (source_->loss() == 0 || !untold) {
    request.data(std::string_view());
    return;
  }
  loss_told_ = true;
  source_->set_loss_told();
  request.fail(source_->loss());
}

unsigned MessageFile::readiness() {
  if (is_polled()) source_->pollers.join(*this);
  if (rest_begin_ < rest_.size() || is_finished()) return POLLIN | POLLRDNORM;
  if (source_->has_ended()) return POLLIN | POLLRDNORM | POLLHUP | POLLRDHUP;
  if (record->removed) return POLLERR | POLLHUP;
  const unsigned hang_up = source_->is_ending() ? POLLHUP | POLLRDHUP : 0;
  if (source_->has_message()) return POLLIN | POLLRDNORM | hang_up;
  if (is_polled()) source_->listen();
  return hang_up;
}

void MessageFile::closing() {
  if (rest_begin_ < rest_.size()) ++rest_from_->messages_dropped;
}

Offer RecvFile::offer(Request& request, std::size_t size, const Message& message) {
  if (message.bytes.empty()) {  // An answer of no bytes would mean the end of the file.
    ++message.from->empty_skipped;
    return Offer::kSkipped;
  }
  return answer(request, size, message.bytes, *message.from);
}

Offer GetFile::offer(Request& request, std::size_t size, const Message& message) {
  if (claimed_) {  // Two reads of one open waited, and the other one has the message.
    request.data(std::string_view());
    return Offer::kLost;
  }
  const Offer offer = answer(request, size, message.bytes, *message.from);
  claimed_ = offer == Offer::kTaken;
  return offer;
}

void FramedFile::append(const Message& message) {
  const std::string header =
      frame_header(named_ ? message.from->connection_name() : "", message.bytes.size());
  const auto header_bytes = std::as_bytes(std::span(header));
  frames_.insert(frames_.end(), header_bytes.begin(), header_bytes.end());
  pieces_.push_back({frames_.size(), message.bytes.size()});
  frames_.insert(frames_.end(), message.bytes.begin(), message.bytes.end());
}

Offer FramedFile::offer(Request& request, std::size_t size, const Message& message) {
  frames_.clear();
  pieces_.clear();
  append(message);
  return answer(request, size, frames_, *message.from);
}

Offer FramedFile::offer_taken(Request& request, std::size_t size, const Message& message) {
  if (named_) return MessageFile::offer_taken(request, size, message);
  frames_.clear();
  pieces_.clear();
  append(message);  // Its bytes are dead once the source is asked for the next one.
  while (frames_.size() < size) {
    const auto next = source().take();
    if (!next) break;
    const std::size_t end = frames_.size();
    append(*next);
    if (frames_.size() > size) {
      next->from->give_back(next->bytes);
      frames_.resize(end);
      pieces_.pop_back();
      break;
    }
  }
  const Offer offer = answer(request, size, frames_, *message.from);
  if (offer == Offer::kLost) give_all_back(*message.from);
  return offer;
}

void FramedFile::give_all_back(Inbox& to) {
  for (; !pieces_.empty(); pieces_.pop_back()) {
    to.give_back(std::span(frames_).subspan(pieces_.back().begin, pieces_.back().size));
  }
}

}  // namespace comch::fuse
