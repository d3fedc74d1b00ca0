// Rendezvous: names and locks as the file system and /proc/locks show them.
#include "tool/rendezvous.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <tuple>

#include "tool/descriptor.h"

namespace comch::tool {
namespace {

namespace fs = std::filesystem;

// "major:minor:inode" of every file a process holds a lock on, and who that is.
using HeldLocks = std::map<std::string, pid_t, std::less<>>;

// A line reads "3: FLOCK  ADVISORY  WRITE 1234 00:19:5678 0 EOF"; a waiter has "->" after
// the number, and a lock of an open file description has -1 for the process.
HeldLocks held_locks() {
  HeldLocks held;
  std::ifstream file("/proc/locks");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string number, kind, manner, access, what;
    long pid = 0;
    if (!(fields >> number >> kind >> manner >> access >> pid >> what)) continue;
    held.emplace(what, static_cast<pid_t>(std::max(pid, 0L)));
  }
  return held;
}

// True when nobody holds the lock, found out by holding it for an instant. A server that
// starts at that instant would find its name taken, which is why this is the last resort.
Liveness try_lock(const fs::path& lock) {
  const Descriptor fd(::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return errno == ENOENT ? Liveness::kStale : Liveness::kUnknown;
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return Liveness::kStale;
  return errno == EWOULDBLOCK ? Liveness::kRunning : Liveness::kUnknown;
}

void find_liveness(SeenServer& server, const HeldLocks& held) {
  const fs::path lock = server.directory / "lock";
  struct stat status;
  if (::lstat(lock.c_str(), &status) != 0) {
    server.liveness = errno == ENOENT ? Liveness::kStale : Liveness::kUnknown;
    return;
  }
  auto key = fmt::format("{:02x}:{:02x}:{}", ::major(status.st_dev), ::minor(status.st_dev),
                         status.st_ino);
  if (auto lock_of = held.find(key); lock_of != held.end()) {
    server.liveness = Liveness::kRunning;
    server.pid = lock_of->second;
    return;
  }
  server.liveness = try_lock(lock);
}

}  // namespace

std::string_view name(Liveness liveness) {
  switch (liveness) {
    case Liveness::kRunning:
      return "running";
    case Liveness::kStale:
      return "stale";
    case Liveness::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<fs::path> rendezvous_directories() {
  if (const char* own = std::getenv("COMCH_RUNTIME_DIR"); own != nullptr && *own != '\0') {
    return {own};
  }
  std::vector<fs::path> directories{"/run/comch"};
  if (const char* user = std::getenv("XDG_RUNTIME_DIR"); user != nullptr && *user != '\0') {
    directories.push_back(fs::path(user) / "comch");
  }
  return directories;
}

std::vector<SeenServer> seen_servers(const std::vector<fs::path>& directories) {
  const HeldLocks held = held_locks();
  std::vector<SeenServer> servers;
  for (const fs::path& directory : directories) {
    std::error_code ignored;  // A directory that is missing or closed to us shows nothing.
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
      const std::string both = entry.path().filename();
      const std::size_t plus = both.find('+');
      if (plus == std::string::npos || !entry.is_directory(ignored)) continue;
      SeenServer server{.name = both.substr(plus + 1),
                        .representor = both.substr(0, plus),
                        .directory = entry.path()};
      find_liveness(server, held);
      servers.push_back(std::move(server));
    }
  }
  std::ranges::sort(servers, {}, [](const SeenServer& server) {
    return std::tie(server.name, server.representor, server.directory);
  });
  return servers;
}

}  // namespace comch::tool
