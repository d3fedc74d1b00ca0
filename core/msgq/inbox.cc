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
  adopt();
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
  adopt();
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

// Turns alone may never meet the link of a producer that has gone, so it is looked for when another
// one has come: those that come and go leave nothing here.
void Inbox::adopt() {
  const std::size_t known = links_.size();
  mailbox_->adopt(links_);
  if (links_.size() == known) return;
  const auto is_over = [](const std::shared_ptr<Link>& link) { return link->is_over(); };
  // On either side of the turn by itself, so that it stays with whose it is.
  const auto turn = links_.begin() + static_cast<std::ptrdiff_t>(turn_);
  const auto ahead = std::remove_if(links_.begin(), turn, is_over);
  links_.erase(std::remove_if(turn, links_.end(), is_over), links_.end());
  turn_ = static_cast<std::size_t>(ahead - links_.begin());
  links_.erase(ahead, turn);
}

void Inbox::tell_producers() {
  // INTRODUCE and SLEEP: a producer introduces itself before it looks for what we have just
  // posted. It finds that, or we find its link here, and its doorbell with it.
  shm::RealMachine::full_fence();
  adopt();
  for (const auto& link : links_) link->tell_producer();
}

}  // namespace comch::msgq
