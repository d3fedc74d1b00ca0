// Access: does a server's list admit this peer?
#pragma once

#include <cstdint>
#include <span>

#include "comch/connection.h"
#include "comch/server.h"

namespace comch {

// Root and the owner always are admitted; others by the user or group they act as, or by
// one of their supplementary groups.
bool admits(const AccessList& list, const Identity& owner, const PeerIdentity& peer,
            std::span<const std::uint32_t> groups);

}  // namespace comch
