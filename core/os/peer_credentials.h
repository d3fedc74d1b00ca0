// Credentials: who is at the other end of a SeqSocket, on the kernel's word.
//
//   Credentials who = peer_credentials(socket).value();
//   if (!list.admits(who.uid, who.gid, peer_groups(socket))) ...
//
// They are those of the process that called connect() (or listen()), when it did; what
// became of it since, and who else has the socket now, they do not say.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

struct Credentials {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int32_t pid = 0;  // For people only: it may be another process by now.
};

// operating_system: see sys.
Result<Credentials> peer_credentials(const Fd& socket);

// The peer's supplementary groups; empty where the kernel cannot tell.
std::vector<std::uint32_t> peer_groups(const Fd& socket);

}  // namespace comch::os
