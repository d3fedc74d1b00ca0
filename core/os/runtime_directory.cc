// Runtime directory: where servers leave their sockets.
#include "os/runtime_directory.h"

#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "os/directory.h"

namespace comch::os {
namespace {

constexpr const char* kSystemDirectory = "/run/comch";
constexpr mode_t kMode = 0755;  // Everybody may find a server; who may connect it says itself.

// The value of a variable that is set and not empty, else nullptr.
const char* variable(const char* name) {
  const char* value = secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// Empty when there is no session directory.
std::string session_directory() {
  const char* base = variable("XDG_RUNTIME_DIR");
  return base != nullptr ? std::string(base) + "/comch" : std::string();
}

Result<Fd> make_writable(const char* path) {
  Result<Fd> directory = make_directories(path, kMode);
  if (!directory) return directory;
  if (!may_write(*directory)) {
    return fail(Errc::not_permitted, "the runtime directory may not be written", EACCES);
  }
  return directory;
}

Result<Fd> make_writable_and_trusted(const char* path) {
  Result<Fd> directory = make_writable(path);
  if (!directory) return directory;
  if (const Status trusted = check_trusted(*directory); !trusted) {
    return std::unexpected(trusted.error());
  }
  return directory;
}

// A kernel out of descriptors is no reason to serve from another place, nor to say that nobody
// serves.
bool is_final(const Result<Fd>& directory) {
  return directory || directory.error().code == Errc::operating_system;
}

}  // namespace

Result<Fd> runtime_directory_for_servers() {
  if (const char* chosen = variable("COMCH_RUNTIME_DIR")) {
    Result<Fd> directory = make_writable(chosen);
    if (is_final(directory)) return directory;
    return fail(Errc::not_permitted,
                "the directory that COMCH_RUNTIME_DIR names cannot be made or written",
                directory.error().sys);
  }
  Result<Fd> system = make_writable_and_trusted(kSystemDirectory);
  if (is_final(system)) return system;
  if (const std::string session = session_directory(); !session.empty()) {
    Result<Fd> directory = make_writable_and_trusted(session.c_str());
    if (is_final(directory)) return directory;
  }
  return fail(Errc::not_permitted,
              "neither /run/comch nor $XDG_RUNTIME_DIR/comch may be written; set "
              "COMCH_RUNTIME_DIR to a directory that may",
              EACCES);
}

Result<std::vector<Fd>> runtime_directories_for_clients() {
  const char* const chosen = variable("COMCH_RUNTIME_DIR");
  std::vector<std::string> paths;
  if (chosen != nullptr) {
    paths.emplace_back(chosen);
  } else {
    paths = {kSystemDirectory, session_directory()};
  }
  std::vector<Fd> found;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    Result<Fd> directory = open_directory(path.c_str());
    if (!directory && is_final(directory)) return std::unexpected(directory.error());
    if (directory && (chosen != nullptr || check_trusted(*directory))) {
      found.push_back(std::move(*directory));
    }
  }
  return found;
}

}  // namespace comch::os
