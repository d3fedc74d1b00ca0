// KeptMemory: what an open file keeps of what was written to it, counted for whose object it is.
//
//   message_.insert(...);
//   if (!memory_.grow_to(message_.size())) forget(message_), return EDQUOT;
//
// It is counted in steps that double, as memory for it is taken, and given back when this is
// destroyed.
//
// Threads: the loop's. Lifetime: may outlive the quota.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "user_quota.h"

namespace comch::fuse {

class KeptMemory {
 public:
  explicit KeptMemory(UserQuota& quota) : quota_(&quota) {}

  // Counts so many bytes of `user`'s. False: that is more than he may have, and nothing has
  // changed.
  bool grow_to(std::uint64_t bytes, uid_t user) {
    if (bytes <= counted_) return true;
    const std::uint64_t all = std::max({bytes, 2 * counted_, kLeast});
    auto share = quota_->take(user, all - counted_);
    if (!share) return false;
    shares_.push_back(std::move(share));
    counted_ = all;
    return true;
  }
  void give_back() {
    shares_.clear();
    counted_ = 0;
  }

  static constexpr const char* kWhyNot =
      "its owner's puts and posted buffers would be larger together than user_memory= of the mount";

 private:
  static constexpr std::uint64_t kLeast = 4096;

  UserQuota* quota_;
  std::uint64_t counted_ = 0;
  std::vector<std::shared_ptr<const void>> shares_;
};

}  // namespace comch::fuse
