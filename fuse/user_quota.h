// UserQuota: how much of something each user has, so that nobody takes for himself what the daemon
// has for all: objects, for its descriptors, and for its memory bytes of posted buffers, of what
// was handed over, and of what is written to `put` piece by piece (kept_memory.h).
//
//   auto share = quota.take(caller.uid);
//   if (!share) return EDQUOT;
//   record->share = share;                     // Given back with the last copy.
//
// Root and the daemon's own user are not counted: who may stop the daemon need not starve it. But
// what a peer of theirs has chosen is.
//
// Threads: the loop's. Lifetime: shares may outlive the quota. Errors: null.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>

namespace comch::fuse {

class UserQuota {
 public:
  UserQuota(std::uint64_t most, uid_t own) : most_(most), own_(own) {}

  enum class Chosen : std::uint8_t { kByUser, kByPeer };

  // So much more of the user's. Null: that is more than anybody may have.
  std::shared_ptr<const void> take(uid_t user, std::uint64_t amount = 1,
                                   Chosen chosen = Chosen::kByUser);

 private:
  using Sums = std::map<uid_t, std::uint64_t>;

  const std::uint64_t most_;
  const uid_t own_;
  const std::shared_ptr<Sums> sums_ = std::make_shared<Sums>();
};

}  // namespace comch::fuse
