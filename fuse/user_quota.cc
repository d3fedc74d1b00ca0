// How much each user has; see user_quota.h.
#include "user_quota.h"

namespace comch::fuse {

std::shared_ptr<const void> UserQuota::take(uid_t user, std::uint64_t amount, Chosen chosen) {
  const bool may_stop_us = user == 0 || user == own_;
  if (may_stop_us && chosen == Chosen::kByUser) return sums_;
  const auto found = sums_->find(user);
  const std::uint64_t before = found == sums_->end() ? 0 : found->second;
  if (amount > most_ - before) return nullptr;
  (*sums_)[user] = before + amount;
  return {sums_.get(), [sums = sums_, user, amount](const void*) {
            std::uint64_t& sum = sums->at(user);
            sum -= amount;
            if (sum == 0) sums->erase(user);
          }};
}

}  // namespace comch::fuse
