// What the consumers and producers of one connection share; see fast_link.h.
#include "fast_link.h"

#include "outbox.h"

namespace comch::fuse {

void FastLink::leave(const Outbox& outbox) {
  std::erase(outboxes_, &outbox);
  std::erase_if(holders_, [&](const auto& held) { return held.second == &outbox; });
}

bool FastLink::is_free_for(ConsumerId consumer, const Outbox& outbox) const {
  return !holders_.contains(consumer) || is_taken_by(consumer, outbox);
}

bool FastLink::is_taken_by(ConsumerId consumer, const Outbox& outbox) const {
  const auto holder = holders_.find(consumer);
  return holder != holders_.end() && holder->second == &outbox;
}

void FastLink::release(ConsumerId consumer) {
  holders_.erase(consumer);
  for (Outbox* outbox : outboxes_) outbox->listen();  // They hear from progress().
}

}  // namespace comch::fuse
