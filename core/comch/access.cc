// Access: see access.h.
#include "comch/access.h"

#include <algorithm>

namespace comch {

bool admits(const AccessList& list, const Identity& owner, const PeerIdentity& peer,
            std::span<const std::uint32_t> groups) {
  const auto lists_group = [&](std::uint32_t gid) {
    return std::find(list.gids.begin(), list.gids.end(), gid) != list.gids.end();
  };
  return list.everyone || peer.acting_uid == 0 || peer.acting_uid == owner.uid ||
         std::find(list.uids.begin(), list.uids.end(), peer.acting_uid) != list.uids.end() ||
         lists_group(peer.acting_gid) || std::any_of(groups.begin(), groups.end(), lists_group);
}

}  // namespace comch
