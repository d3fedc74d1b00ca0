// Files that are one value; see attribute.h.
#include "attribute.h"

#include <linux/fuse.h>
#include <time.h>

#include <algorithm>

#include "object_record.h"
#include "value.h"

namespace comch::fuse {
namespace {

// No value is longer; a longer write is somebody's mistake, such as a file copied here.
constexpr std::size_t kValueMax = 65536;

// Of reports; see Attribute::text().
constexpr std::chrono::milliseconds kCheap{1};
constexpr int kShareOfLoop = 20;

// What a loop that is not let run does not take itself.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

int AttributeWatch::timeout_ms() const {
  if (is_due()) return 0;
  if (files_.empty() || next_look_ == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
  return static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count());
}

void AttributeWatch::check() {
  const auto now = Clock::now();
  const auto end = now + kTurn;
  if (now >= next_look_) {
    next_look_ = Clock::time_point::max();
    look_again();
  }
  while (is_due()) {
    auto next = files_.upper_bound(last_);
    if (next == files_.end()) next = files_.begin();
    last_ = *next;
    --due_;
    if (last_->has_changed()) last_->wake_pollers();
    next_look_ = std::min(next_look_, last_->next_look());
    if (std::chrono::steady_clock::now() >= end) return;
  }
}

Attribute::Text Attribute::render() const {
  std::string text = spec_.show();
  if (!text.empty() && !spec_.is_text) text += '\n';
  return std::make_shared<const std::string>(std::move(text));
}

Attribute::Text Attribute::text() const {
  if (was_cheap_) good_until_ = {};
  return text_for_pollers();
}

Attribute::Text Attribute::text_for_pollers() const {
  if (!spec_.is_report) return render();
  if (Clock::now() < good_until_) return rendered_;
  const auto before = processor_time();
  rendered_ = render();
  const auto cost = processor_time() - before;
  was_cheap_ = cost < kCheap;
  good_until_ = Clock::now() + kShareOfLoop * cost;
  return rendered_;
}

// Tools that ask again behind their open(), as cp, tar and rsync do, find a report's true length.
std::size_t Attribute::length() const {
  constexpr std::size_t kPage = 4096;
  if (!spec_.is_report) return text()->size();
  return rendered_ ? rendered_->size() : kPage;
}

struct stat Attribute::attributes() const {
  const Direction direction{.readable = true, .writable = is_writable()};
  struct stat result =
      base_attributes(S_IFREG | attribute_mode(record().permissions & 0777, direction));
  result.st_size = record().removed ? 0 : static_cast<off_t>(length());
  result.st_blocks = (result.st_size + 511) / 512;
  return result;
}

std::expected<std::unique_ptr<OpenFile>, int> Attribute::open(const OpenRequest& request) {
  if (request.for_writing && !is_writable()) return std::unexpected(EACCES);
  auto self = std::static_pointer_cast<const Attribute>(shared_from_this());
  const AttributeFile::Daemon daemon{.operations = operations_, .watch = watch_};
  return std::make_unique<AttributeFile>(spec_, std::move(self), daemon, request.caller);
}

AttributeFile::AttributeFile(const AttributeSpec& spec, std::shared_ptr<const Attribute> node,
                             Daemon daemon, const Caller& opener)
    : node_(std::move(node)),
      spec_(spec),
      operations_(daemon.operations),
      watch_(daemon.watch),
      opener_(opener),
      snapshot_(node_->text()) {}

AttributeFile::~AttributeFile() { watch_.remove(*this); }

void AttributeFile::read(Request request, const Read& read) {
  if (record->removed) {
    request.fail(ENODEV);
    return;
  }
  if (read.offset == 0) snapshot_ = node_->text();
  const auto offset = std::min(static_cast<std::size_t>(read.offset), snapshot_->size());
  request.data(std::string_view(*snapshot_).substr(offset, read.size));
}

void AttributeFile::write(Request request, const Write& write) {
  if (record->removed) {
    request.fail(ENODEV);
    return;
  }
  const std::string text(reinterpret_cast<const char*>(write.bytes.data()), write.bytes.size());
  Outcome outcome = text.size() > kValueMax ? Outcome::failed(EINVAL, "no value is that long")
                                            : store(trimmed(text), request.caller());
  operations_.answer(std::move(request), text.size(), std::move(outcome), write.nonblocking,
                     [record = record](const Outcome& ended) { note_failure(*record, ended); });
}

// A descriptor may have been handed on, up or down: nobody gets more than both may.
Outcome AttributeFile::store(std::string_view value, const Caller& writer) const {
  if (!spec_.store_for) return spec_.store(value);
  return spec_.store_for(value, writer.uid == 0 ? opener_ : writer);
}

unsigned AttributeFile::readiness() {
  if (record->removed) return POLLERR | POLLHUP;
  if (is_polled()) watch_.add(*this);
  return POLLIN | POLLOUT | (has_changed() ? POLLPRI | POLLERR : 0U);
}

bool AttributeFile::has_changed() const {
  if (record->removed) return true;
  const Attribute::Text now = node_->text_for_pollers();
  return now != snapshot_ && *now != *snapshot_;
}

std::chrono::steady_clock::time_point AttributeFile::next_look() const {
  if (record->removed || !node_->is_report()) return Attribute::Clock::time_point::max();
  return node_->text_is_good_until();
}

unsigned AttributeFile::open_flags() const {
  // No FOPEN_STREAM: a program that polls a value goes back to offset 0 to read it again.
  return FOPEN_DIRECT_IO | FOPEN_NOFLUSH;
}

}  // namespace comch::fuse
