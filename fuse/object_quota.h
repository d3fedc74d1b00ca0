// ObjectQuota: how many objects each user has, so that nobody takes for himself what the daemon
// has for all, its descriptors first.
//
//   auto share = quota.take(caller.uid);
//   if (!share) return EDQUOT;
//   record->share = share;                     // Given back with the last copy.
//
// Root and the daemon's own user are not counted: who may stop the daemon need not starve it.
//
// Threads: the loop's. Lifetime: shares may outlive the quota. Errors: null.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>

namespace comch::fuse {

class ObjectQuota {
 public:
  ObjectQuota(std::size_t most, uid_t own) : most_(most), own_(own) {}

  // One object more of the user's. Null: he has as many as anybody may.
  std::shared_ptr<const void> take(uid_t user);

 private:
  using Counts = std::map<uid_t, std::size_t>;

  const std::size_t most_;
  const uid_t own_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace comch::fuse
