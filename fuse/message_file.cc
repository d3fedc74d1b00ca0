// Open files that messages are read from; see message_file.h.
#include "message_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "object_record.h"

namespace comch::fuse {
namespace {

std::uint64_t next_ticket() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

HeldRead::HeldRead(MessageFile& file, ReadQueue& queue, Request request, std::size_t size)
    : HeldRequest(std::move(request)),
      file_(file),
      queue_(queue),
      size_(size),
      ticket_(next_ticket()) {}

Offer HeldRead::offer(const Message& message) {
  const Offer made = file_.offer(request(), size_, message);
  if (made == Offer::kTaken) file_.serve_others(*this);
  return made;
}

void HeldRead::ask_again() {
  file_.read(std::move(request()), {.size = size_, .offset = 0, .nonblocking = false});
}

void HeldRead::end() { file_.tell_end(request()); }

void HeldRead::interrupted() {
  request().fail(EINTR);
  queue_.remove(*this);
}

bool ReadQueue::hold(std::unique_ptr<HeldRead> read) {
  if (!read->admit_interrupts()) return false;
  reads_.push_back(std::move(read));
  return true;
}

std::unique_ptr<HeldRead> ReadQueue::take_first() {
  auto first = std::move(reads_.front());
  reads_.pop_front();
  return first;
}

void ReadQueue::remove(const HeldRead& read) {
  std::erase_if(reads_, [&](const auto& one) { return one.get() == &read; });
}

std::list<std::unique_ptr<HeldRead>> ReadQueue::take_others(const HeldRead& served) {
  std::list<std::unique_ptr<HeldRead>> others;
  for (auto read = reads_.begin(); read != reads_.end();) {
    const auto next = std::next(read);
    if (read->get() != &served && &(*read)->file_ == &served.file_)
      others.splice(others.end(), reads_, read);
    read = next;
  }
  return others;
}

void ReadQueue::fail_all(int error) {
  for (auto all = std::exchange(reads_, {}); const auto& read : all) read->request().fail(error);
}

void ReadQueue::end_all() {
  for (auto all = std::exchange(reads_, {}); const auto& read : all) read->end();
}

MessageFile::MessageFile(std::shared_ptr<MessageSource> source)
    : source_(std::move(source)), opened_before_end_(!source_->has_ended()) {}

MessageFile::~MessageFile() { current().pollers.leave(*this); }

MessageSource& MessageFile::current() const {
  return long_ ? static_cast<MessageSource&>(*long_) : *source_;
}

void MessageFile::begin_long_message(std::shared_ptr<LongMessage> rest) {
  source_->pollers.leave(*this);
  long_ = std::move(rest);
  wake_pollers();  // Who looks again joins the long message's.
}

void MessageFile::end_long_message() {
  long_->pollers.leave(*this);
  long_->waiting.fail_all(EINTR);  // Other threads', which shall ask again.
  long_.reset();
  wake_pollers();  // Who looks again joins the source's.
}

bool MessageFile::is_continued(const Read& read) {
  const bool is_next = read.offset > 0 && read.offset == full_until_;
  const bool may_be_continued = is_next || read.size >= kFullRequest;
  full_until_ = may_be_continued ? read.offset + static_cast<off_t>(read.size) : 0;
  return is_next;
}

void MessageFile::read(Request request, const Read& read) {
  const bool is_more_of_one = is_continued(read);
  if (!rest_.empty()) return give_rest(std::move(request), read.size);
  // Never a second message.
  if (is_more_of_one || (is_finished() && !long_)) {
    request.data(std::string_view());
    return;
  }
  while (!record->removed) {
    const auto message = current().take();
    if (!message) break;
    if (offer_taken(request, read.size, *message) != Offer::kSkipped) return;
  }
  wait(std::move(request), read);
}

// Other threads' reads of this file, which waited behind `served`: what is left of the message it
// has is theirs, or the end that comes behind it, and no later message.
void MessageFile::serve_others(const HeldRead& served) {
  if (rest_.empty() && !is_finished() && !long_) return;
  for (const auto& read : source_->waiting.take_others(served)) read->ask_again();
}

// There is nothing now.
void MessageFile::wait(Request request, const Read& read) {
  MessageSource& from = current();
  if (from.has_ended()) {
    tell_end(request);
  } else if (record->removed) {
    request.fail(ENODEV);
  } else if (from.refusal() != 0) {
    request.fail(from.refusal());
  } else if (read.nonblocking) {
    request.fail(EAGAIN);
  } else if (from.waiting.hold(
                 std::make_unique<HeldRead>(*this, from.waiting, std::move(request), read.size))) {
    from.listen();
  }
}

Offer MessageFile::offer_taken(Request& request, std::size_t size, const Message& message) {
  const Offer made = offer(request, size, message);
  if (made == Offer::kLost) message.from->give_back(message);
  return made;
}

void MessageFile::give_rest(Request request, std::size_t size) {
  const std::string_view header = std::string_view(rest_.header).substr(0, size);
  const std::size_t given = rest_.message.size() - rest_.size;
  const Part piece = rest_.message.part(given, size - header.size());
  if (!piece) {
    request.fail(piece.error());
    rest_.from->count_dropped();
    rest_ = {};
    return;
  }
  if (!request.data(header, *piece)) return;
  rest_.header.erase(0, header.size());
  rest_.size -= piece->size();
  if (rest_.empty()) rest_ = {};
}

Offer MessageFile::answer(Request& request, std::size_t size, const Message& message,
                          std::string_view header) {
  const std::string_view line = header.substr(0, size);
  const Part piece = message.part(0, size - line.size());
  if (!piece) {
    request.fail(piece.error());
    message.from->count_dropped();
    return Offer::kTaken;
  }
  if (!request.data(line, *piece)) return Offer::kLost;
  if (line.size() < header.size() || piece->size() < message.size()) {
    keep(message, piece->size(), header.substr(line.size()));
  }
  return Offer::kTaken;
}

Offer MessageFile::answer_with_rest(Request& request, std::size_t size, const Message& message) {
  const Offer made = answer(request, size, message);
  if (made != Offer::kTaken) return made;
  if (!long_) {
    if (auto rest = message.from->claim_rest(message)) begin_long_message(std::move(rest));
  } else if (is_of_long_message(message) && long_->is_complete()) {
    end_long_message();
  }
  return made;
}

void MessageFile::pass_over(const Message& empty) {
  if (!is_of_long_message(empty)) {
    ++empty.from->empty_skipped;
  } else if (long_->is_complete()) {
    end_long_message();
  }
}

void MessageFile::keep(const Message& message, std::size_t given, std::string_view header) {
  rest_.header = header;
  rest_.message = message;
  rest_.size = message.size() - given;
  rest_.from = message.from->shared_from_this();
  if (message.arrival) return;
  const auto bytes = message.bytes.subspan(given);
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  rest_.message.bytes = *copy;
  rest_.keeper = std::move(copy);
}

void MessageFile::tell_end(Request& request) {
  // Everybody who had the file open when the peer was lost is told so once; if nobody
  // had, the first to open it afterwards is.
  const bool of_part = long_ != nullptr;
  MessageSource& from = current();
  const bool untold = of_part || (!loss_told_ && (opened_before_end_ || !from.was_loss_told()));
  if (from.loss() == 0 || !untold) {
    request.data(std::string_view());
    return;
  }
  request.fail(from.loss());
  if (of_part) return end_long_message();
  loss_told_ = true;
  from.set_loss_told();
}

unsigned MessageFile::readiness() {
  MessageSource& from = current();
  if (is_polled()) from.pollers.join(*this);
  if (!rest_.empty() || (is_finished() && !long_)) return POLLIN | POLLRDNORM;
  if (from.has_ended()) return POLLIN | POLLRDNORM | POLLHUP | POLLRDHUP;
  if (record->removed) return POLLERR | POLLHUP;
  const unsigned hang_up = from.is_ending() ? POLLHUP | POLLRDHUP : 0;
  if (from.has_message()) return POLLIN | POLLRDNORM | hang_up;
  if (from.refusal() != 0) return POLLERR | POLLHUP;
  if (is_polled()) from.listen();
  return hang_up;
}

void MessageFile::closing() {
  if (long_) {
    long_->count_dropped();
    long_->drop();
  } else if (!rest_.empty()) {
    rest_.from->count_dropped();
  }
}

Offer RecvFile::offer(Request& request, std::size_t size, const Message& message) {
  if (message.empty()) {  // An answer of no bytes would mean the end of the file.
    pass_over(message);
    return Offer::kSkipped;
  }
  return answer_with_rest(request, size, message);
}

Offer GetFile::offer(Request& request, std::size_t size, const Message& message) {
  const bool is_rest = is_of_long_message(message);
  if (claimed_ && !is_rest) {  // Two reads of one open waited, and the other one has the message.
    request.data(std::string_view());
    return Offer::kLost;
  }
  if (is_rest && message.empty() && !is_end_of_long_message()) return Offer::kSkipped;
  const Offer offer = answer_with_rest(request, size, message);
  claimed_ = claimed_ || offer == Offer::kTaken;
  return offer;
}

Offer FramedFile::offer(Request& request, std::size_t size, const Message& message) {
  return answer(request, size, message, header_(message));
}

// False, and nothing is changed: the frame does not fit in what is left of `size`, or is not to be
// read.
bool FramedFile::append(const Message& message, std::size_t size) {
  const std::string header = header_(message);
  if (header.size() + message.size() > size - frames_.size()) return false;
  const Part bytes = message.part(0, message.size());
  if (!bytes) return false;
  const auto line = std::as_bytes(std::span(header));
  frames_.insert(frames_.end(), line.begin(), line.end());
  pieces_.push_back({message, frames_.size()});
  frames_.insert(frames_.end(), bytes->begin(), bytes->end());
  return true;
}

Offer FramedFile::offer_taken(Request& request, std::size_t size, const Message& message) {
  frames_.clear();
  pieces_.clear();
  if (packing_ == Packing::kOnePerRead || !append(message, size)) {
    return MessageFile::offer_taken(request, size, message);
  }
  // What was taken has to be copied first: it may be dead once the source is asked again.
  while (frames_.size() < size) {
    const auto next = source().take();
    if (!next) break;
    if (append(*next, size)) continue;
    next->from->give_back(*next);
    break;
  }
  const bool answered = request.data(std::span<const std::byte>(frames_));
  if (!answered) give_all_back();
  pieces_.clear();  // What they kept of a consumer's memory is free again.
  return answered ? Offer::kTaken : Offer::kLost;
}

void FramedFile::give_all_back() {
  for (; !pieces_.empty(); pieces_.pop_back()) {
    Piece& piece = pieces_.back();
    piece.message.bytes = std::span(frames_).subspan(piece.begin, piece.message.size());
    piece.message.from->give_back(piece.message);
  }
}

}  // namespace comch::fuse
