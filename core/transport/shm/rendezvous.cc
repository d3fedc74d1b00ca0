// Rendezvous: see rendezvous.h.
#include "transport/shm/rendezvous.h"

#include <cerrno>
#include <tuple>
#include <utility>
#include <vector>

#include "os/directory.h"
#include "os/runtime_directory.h"
#include "os/seq_socket.h"

namespace comch::transport::shm {
namespace {

// Callers beyond it are told to try again, and do, within their own time limit.
constexpr int kBacklog = 256;
// The directory may be removed by the last owner of the name just as we listen in it; see
// os/held_name.cc.
constexpr int kTries = 100;

}  // namespace

std::string berth_name(std::string_view representor, std::string_view server_name) {
  std::string name(representor);
  name += '+';
  name += server_name;
  return name;
}

Berth::Berth(os::HeldName name, os::Fd socket)
    : name_(std::move(name)), socket_(std::move(socket)) {
  socket_.close_in_children();
}

Result<Berth> Berth::take(std::string_view representor, std::string_view server_name) {
  Result<os::Fd> socket;
  for (int tries = 0; tries < kTries; ++tries) {
    Result<os::HeldName> name =
        os::HeldName::take(berth_name(representor, server_name),
                           "a server of that name runs on this function already");
    if (!name) return std::unexpected(name.error());
    // Whatever socket lies here is a dead server's: its lock was free.
    std::ignore = os::unlink_at(name->directory(), os::kSocketFile);
    socket = os::listen_at(name->directory(), os::kSocketFile, kBacklog);
    if (socket) return Berth(std::move(*name), std::move(*socket));
    if (socket.error().sys != ENOENT) break;
  }
  return std::unexpected(socket.error());
}

Berth::~Berth() {
  if (!socket_) return;  // Moved from.
  socket_.reset();
  std::ignore = os::unlink_at(name_.directory(), os::kSocketFile);
}

Result<os::Fd> call(std::string_view representor, std::string_view server_name) {
  const std::string name = berth_name(representor, server_name);
  Error last{Errc::not_found, ENOENT, "no server of that name runs on this function"};
  const Result<std::vector<os::Fd>> directories = os::runtime_directories_for_clients();
  if (!directories) return std::unexpected(directories.error());
  for (const os::Fd& runtime : *directories) {
    const Result<os::Fd> directory = os::open_directory_at(runtime, name.c_str());
    if (!directory) {
      if (directory.error().code == Errc::operating_system) last = directory.error();
      continue;
    }
    Result<os::Fd> socket = os::connect_at(*directory, os::kSocketFile);
    if (socket) return socket;
    if (socket.error().code != Errc::not_found) last = socket.error();
  }
  return std::unexpected(last);
}

}  // namespace comch::transport::shm
