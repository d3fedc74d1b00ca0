// Inbox: see inbox.h.
#include "msgq/inbox.h"

#include <algorithm>

#include "shm/machine.h"

namespace comch::msgq {

void Inbox::post(std::uint32_t count) {
  posted_ += count;
  mailbox_->post(count);
  tell_producers();
}

bool Inbox::take(std::span<std::byte> room, Arrival& arrival) {
  mailbox_->adopt(links_);
  for (std::size_t left = links_.size(); left != 0; --left) {
    if (turn_ >= links_.size()) turn_ = 0;
    Link& link = *links_[turn_];
    if (has_next(link)) {
      arrival = link.take(room);
      ++taken_;
      ++turn_;
      return true;
    }
    if (link.is_over()) {
      links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(turn_));
    } else {
      ++turn_;
    }
  }
  return false;
}

bool Inbox::ready() {
  mailbox_->adopt(links_);
  return std::ranges::any_of(links_, [this](const auto& link) { return has_next(*link); });
}

void Inbox::close() {
  if (!claimed_) claimed_ = mailbox_->close();
  tell_producers();
}

bool Inbox::drained() const { return claimed_ && taken_ == std::min(*claimed_, posted_); }

// A message counts when its receive is posted. That is so for exactly as many as were posted.
bool Inbox::has_next(Link& link) {
  const std::optional<std::uint64_t> number = link.peek();
  return number && *number < posted_;
}

void Inbox::tell_producers() {
  // INTRODUCE and SLEEP: a producer introduces itself before it looks for what we have just
  // posted. It finds that, or we find its link here, and its doorbell with it.
  shm::RealMachine::full_fence();
  mailbox_->adopt(links_);
  for (const auto& link : links_) link->tell_producer();
}

}  // namespace comch::msgq
