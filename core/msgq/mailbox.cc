// Mailbox: see mailbox.h.
#include "msgq/mailbox.h"

#include <iterator>
#include <utility>

#include "msgq/link.h"

namespace comch::msgq {

Result<std::uint64_t> Mailbox::claim(Hold hold) {
  std::uint64_t claimed = claimed_.load(std::memory_order_relaxed);  // No edge: checked below.
  do {
    if ((claimed & kClosed) != 0) return fail(Errc::not_found, "the consumer is gone");
    // POST: meets post().
    if (hold == Hold::kNo && claimed >= posted_.load(std::memory_order_acquire)) {
      return fail(Errc::again, "the consumer has nothing posted");
    }
    // No edge: a number guards no memory; the message has its lane.
  } while (!claimed_.compare_exchange_weak(claimed, claimed + 1, std::memory_order_relaxed));
  return claimed;
}

bool Mailbox::is_empty() const {
  const std::uint64_t claimed = claimed_.load(std::memory_order_acquire);  // CLOSE: meets close().
  // POST: meets post().
  return (claimed & kClosed) != 0 || claimed >= posted_.load(std::memory_order_acquire);
}

void Mailbox::introduce(std::shared_ptr<Link> link) {
  const std::lock_guard lock(mutex_);
  if (closed()) return;  // Nobody would adopt it.
  // Of producers that came and went while the consumer did not look.
  std::erase_if(news_, [](const std::shared_ptr<Link>& each) { return each->is_over(); });
  news_.push_back(std::move(link));
  has_news_.store(true, std::memory_order_relaxed);  // No edge: the mutex is INTRODUCE.
}

void Mailbox::post(std::uint32_t count) {
  // No edge here: only the consumer writes this word.
  const std::uint64_t posted = posted_.load(std::memory_order_relaxed) + count;
  posted_.store(posted, std::memory_order_release);  // POST
}

std::uint64_t Mailbox::close() {
  const std::lock_guard lock(mutex_);  // Who introduces a link does so before this, or not at all.
  // CLOSE: the last post happens before this is seen.
  return claimed_.fetch_or(kClosed, std::memory_order_acq_rel) & ~kClosed;
}

void Mailbox::adopt(std::vector<std::shared_ptr<Link>>& links) {
  if (!has_news_.load(std::memory_order_relaxed)) return;  // No edge: a hint.
  const std::lock_guard lock(mutex_);
  has_news_.store(false, std::memory_order_relaxed);  // No edge: the mutex is INTRODUCE.
  links.insert(links.end(), std::move_iterator(news_.begin()), std::move_iterator(news_.end()));
  news_.clear();
}

}  // namespace comch::msgq
