// Claim: see claim.h. A directory per name in the runtime directory, as FORMAT.md has it for the
// shared-memory carrier, with the lock and no socket.
#include "transport/rdma/claim.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "os/directory.h"
#include "os/lock_file.h"
#include "os/runtime_directory.h"

namespace comch::transport::rdma {
namespace {

constexpr const char* kLock = "lock";
// The last owner may remove the directory just as we open it; a bound on malice, not on bad luck.
constexpr int kTries = 100;

}  // namespace

Result<Claim> Claim::take(std::string_view device, std::string_view representor,
                          std::string_view server_name) {
  const std::string name = fmt::format("rdma:{}:{}+{}", device, representor, server_name);
  for (int tries = 0; tries < kTries; ++tries) {
    Result<os::Fd> runtime = os::runtime_directory_for_servers();
    if (!runtime) return std::unexpected(runtime.error());
    Status made = os::make_directory_at(*runtime, name.c_str(), 0755);
    if (!made && made.error().code != Errc::already_exist) return std::unexpected(made.error());
    Result<os::Fd> directory = os::open_directory_at(*runtime, name.c_str());
    if (!directory && directory.error().code == Errc::not_found) continue;
    if (!directory) return std::unexpected(directory.error());
    if (Status trusted = os::check_trusted(*directory); !trusted) {
      return std::unexpected(trusted.error());
    }
    Result<os::Fd> lock = os::lock_at(*directory, kLock);
    if (lock) return Claim(std::move(*runtime), std::move(*directory), std::move(*lock), name);
    if (lock.error().code == Errc::not_found || lock.error().sys == ENOENT) continue;
    if (lock.error().code == Errc::already_exist) {
      return fail(Errc::already_exist, "a server of that name runs on this device already");
    }
    return std::unexpected(lock.error());
  }
  return fail(Errc::operating_system, "the server's directory vanishes as fast as it is made");
}

Claim::~Claim() {
  if (!lock_) return;  // Moved from.
  std::ignore = os::unlink_at(directory_, kLock);
  std::ignore = os::remove_directory_at(runtime_, name_.c_str());
}

}  // namespace comch::transport::rdma
