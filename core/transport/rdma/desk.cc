// Desk: see desk.h.
#include "transport/rdma/desk.h"

namespace comch::transport::rdma {

Desk::Desk(const std::byte* board, std::uint32_t depth, std::uint64_t map_size)
    : board_(board), depth_(depth), map_size_(map_size) {
  returned_.reserve(depth);
}

BoardLook Desk::take(Posted& posted) {
  const std::lock_guard lock(mutex_);
  if (broken_) return BoardLook::kBroken;
  if (!returned_.empty()) {
    posted = returned_.back();
    returned_.pop_back();
    return BoardLook::kPosted;
  }
  const BoardLook found = read_posted(board_, position_, depth_, map_size_, posted);
  if (found == BoardLook::kNothing) return found;
  // Of an honest consumer at most `depth` are posted and not completed, and those that nobody has
  // taken are among them.
  Posted beyond;
  const BoardLook too_many = read_posted(board_, position_ + depth_, depth_, map_size_, beyond);
  broken_ = found == BoardLook::kBroken || too_many != BoardLook::kNothing;
  ++position_;
  return broken_ ? BoardLook::kBroken : found;
}

void Desk::give_back(const Posted& posted) {
  const std::lock_guard lock(mutex_);
  returned_.push_back(posted);
}

bool Desk::ready() const {
  const std::lock_guard lock(mutex_);
  Posted posted;
  return broken_ || !returned_.empty() ||
         read_posted(board_, position_, depth_, map_size_, posted) != BoardLook::kNothing;
}

}  // namespace comch::transport::rdma
