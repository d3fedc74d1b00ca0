// Rendezvous: the directories in which servers are found, read for `comch ls`.
//
//   $COMCH_RUNTIME_DIR                      alone, when it is set; else both of
//   /run/comch   $XDG_RUNTIME_DIR/comch
//     `-- 0000:b1:00.0+echo/                representor, '+', name of the server
//         |-- lock                          held by the server while it lives
//         `-- socket
//
// Looking disturbs nobody: nothing is connected to, and whether the lock is held is read
// from /proc/locks. Only where that does not know the file (some overlay file systems
// number their files differently there) is the lock tried.
//
// Threads: free functions without state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tool/complaint.h"

namespace comch::tool {

// kUnknown: the lock is another user's, and the kernel says nothing about it.
enum class Liveness : std::uint8_t { kRunning, kStale, kUnknown };
std::string_view name(Liveness liveness);  // "running", "stale", "unknown"

struct SeenServer {
  std::string name;
  std::string representor;
  Liveness liveness = Liveness::kUnknown;
  pid_t pid = 0;  // 0 where the kernel does not say.
  std::filesystem::path directory;
};

// The directories to look into, best first, whether they exist or not.
std::vector<std::filesystem::path> rendezvous_directories();

// Every server that has left its name in one of `directories`, sorted by name.
std::vector<SeenServer> seen_servers(const std::vector<std::filesystem::path>& directories);

}  // namespace comch::tool
