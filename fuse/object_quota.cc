// How many objects each user has; see object_quota.h.
#include "object_quota.h"

namespace comch::fuse {

std::shared_ptr<const void> ObjectQuota::take(uid_t user) {
  if (user == 0 || user == own_) return counts_;
  const auto count = counts_->try_emplace(user, 0).first;
  if (count->second >= most_) return nullptr;
  ++count->second;
  return {counts_.get(), [counts = counts_, user](const void*) {
            if (--counts->at(user) == 0) counts->erase(user);
          }};
}

}  // namespace comch::fuse
