// Credentials: SO_PEERCRED and SO_PEERGROUPS.
#include "os/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

#include "os/syscalls.h"

namespace comch::os {
namespace {

constexpr std::size_t kGroupsMax = 65536;  // NGROUPS_MAX of Linux; no process has more.

}  // namespace

Result<Credentials> peer_credentials(const Fd& socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (syscalls().getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
    return fail(Errc::operating_system, "the peer's identity is not known", errno);
  }
  return Credentials{.uid = peer.uid, .gid = peer.gid, .pid = peer.pid};
}

std::vector<std::uint32_t> peer_groups(const Fd& socket) {
  static_assert(sizeof(gid_t) == sizeof(std::uint32_t));
  // Most processes have few groups: the first call does for them, and tells how much
  // room the second needs for the others.
  std::vector<std::uint32_t> groups(32);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int done =
        syscalls().getsockopt(socket.get(), SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size);
    const std::size_t count = size / sizeof(gid_t);
    if (done == 0) {
      groups.resize(count);
      return groups;
    }
    if (errno != ERANGE || count > kGroupsMax) break;
    groups.resize(count);
  }
  return {};
}

}  // namespace comch::os
