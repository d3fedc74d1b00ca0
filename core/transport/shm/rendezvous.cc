// Rendezvous: see rendezvous.h.
#include "transport/shm/rendezvous.h"

#include <tuple>

#include "os/directory.h"
#include "os/lock_file.h"
#include "os/runtime_directory.h"
#include "os/seq_socket.h"

namespace comch::transport::shm {
namespace {

constexpr const char* kLock = "lock";
constexpr const char* kSocket = "socket";
// Callers beyond it are told to try again, and do, within their own time limit.
constexpr int kBacklog = 256;
// The directory may be removed by its last owner just as we open it, also many times in a
// row when others come and go all the time; a try costs microseconds, so this is a bound on
// malice and not on bad luck.
constexpr int kTries = 100;

}  // namespace

std::string berth_name(std::string_view representor, std::string_view server_name) {
  std::string name(representor);
  name += '+';
  name += server_name;
  return name;
}

Berth::Berth(os::Fd runtime, os::Fd directory, os::Fd lock, std::string name)
    : runtime_(std::move(runtime)),
      directory_(std::move(directory)),
      lock_(std::move(lock)),
      name_(std::move(name)) {}

Result<Berth> Berth::take(std::string_view representor, std::string_view server_name) {
  const std::string name = berth_name(representor, server_name);
  Error last{Errc::operating_system, 0, "the server's directory vanishes as fast as it is made"};
  for (int tries = 0; tries < kTries; ++tries) {
    Result<os::Fd> runtime = os::runtime_directory_for_servers();
    if (!runtime) return std::unexpected(runtime.error());
    Status made = os::make_directory_at(*runtime, name.c_str(), 0755);
    if (!made && made.error().code != Errc::already_exist) return std::unexpected(made.error());
    Result<os::Fd> directory = os::open_directory_at(*runtime, name.c_str());
    if (!directory && directory.error().code == Errc::not_found) continue;
    if (!directory) return std::unexpected(directory.error());
    // In a runtime directory that all may write to, the name may be another user's trap.
    if (Status trusted = os::check_trusted(*directory); !trusted) {
      return std::unexpected(trusted.error());
    }
    Result<os::Fd> lock = os::lock_at(*directory, kLock);
    if (!lock && lock.error().sys == ENOENT) continue;  // Removed under us by its last owner.
    if (!lock && lock.error().code == Errc::already_exist) {
      return fail(Errc::already_exist, "a server of that name runs on this function already");
    }
    if (!lock) return std::unexpected(lock.error());
    Berth berth(std::move(*runtime), std::move(*directory), std::move(*lock), name);
    // Whatever socket lies here is a dead server's: its lock was free.
    std::ignore = os::unlink_at(berth.directory_, kSocket);
    Result<os::Fd> socket = os::listen_at(berth.directory_, kSocket, kBacklog);
    if (!socket) {
      last = socket.error();
      if (last.sys == ENOENT) continue;
      return std::unexpected(last);
    }
    berth.socket_ = std::move(*socket);
    return berth;
  }
  return std::unexpected(last);
}

Berth::~Berth() {
  if (!lock_) return;  // Moved from.
  // The lock's file goes last, so that nobody can hold a lock of that name and find our
  // leavings; a directory that somebody else is just moving into stays.
  socket_.reset();
  std::ignore = os::unlink_at(directory_, kSocket);
  std::ignore = os::unlink_at(directory_, kLock);
  std::ignore = os::remove_directory_at(runtime_, name_.c_str());
}

Result<os::Fd> call(std::string_view representor, std::string_view server_name) {
  const std::string name = berth_name(representor, server_name);
  Error last{Errc::not_found, ENOENT, "no server of that name runs on this function"};
  for (const os::Fd& runtime : os::runtime_directories_for_clients()) {
    const Result<os::Fd> directory = os::open_directory_at(runtime, name.c_str());
    if (!directory) continue;
    Result<os::Fd> socket = os::connect_at(*directory, kSocket);
    if (socket) return socket;
    if (socket.error().code != Errc::not_found) last = socket.error();
  }
  return std::unexpected(last);
}

}  // namespace comch::transport::shm
