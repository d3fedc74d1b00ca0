// SeqSocket: binding, connecting and accepting.
#include "os/seq_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <tuple>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

constexpr int kSocketType = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;

// Connections that ended before they were accepted are passed over, but not for ever:
// a peer could make them as fast as we look.
constexpr int kAbortedMax = 16;

static_assert(sizeof(sockaddr_un::sun_path) ==
              sizeof("/proc/self/fd/2147483647/") + kSocketNameMax);

// The address of `name` in `directory`, through the one path that is short whatever the
// directory's own path is.
Result<sockaddr_un> address_of(const Fd& directory, const char* name) {
  const std::string_view word = name;
  if (word.empty() || word.find('/') != std::string_view::npos) {
    return fail(Errc::invalid_value, "a socket's name is one part of a path");
  }
  if (word.size() > kSocketNameMax) return fail(Errc::too_big, "a socket's name is too long");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}",
                   directory.get(), word);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // As bind(2) has it.
}

Result<Fd> make_socket() {
  Fd fd(syscalls().socket(AF_UNIX, kSocketType, 0));
  if (!fd) return fail(Errc::operating_system, "no socket can be made", errno);
  return fd;
}

#ifndef SO_PASSRIGHTS
constexpr int SO_PASSRIGHTS = 83;  // Linux 6.16.
#endif

// A kernel that does not know the option lets them through.
void let_descriptors_through(const Fd& socket, int yes) {
  std::ignore = syscalls().setsockopt(socket.get(), SOL_SOCKET, SO_PASSRIGHTS, &yes, sizeof yes);
}

// The socket file lets everybody connect, whatever the umask is. A symbolic link that
// somebody has put in its place is not followed.
Status open_to_everybody(const Fd& directory, const char* name) {
  if (syscalls().fchmodat(directory.get(), name, 0666, AT_SYMLINK_NOFOLLOW) < 0) {
    return fail(Errc::operating_system, "the socket cannot be opened to others", errno);
  }
  return {};
}

}  // namespace

Result<Fd> listen_at(const Fd& directory, const char* name, int backlog) {
  const Result<sockaddr_un> address = address_of(directory, name);
  if (!address) return std::unexpected(address.error());
  Result<Fd> fd = make_socket();
  if (!fd) return fd;
  if (syscalls().bind(fd->get(), generic(*address), sizeof *address) < 0) {
    if (errno == EADDRINUSE) return fail(Errc::already_exist, "the socket's name is taken");
    if (errno == EACCES || errno == EPERM || errno == EROFS) {
      return fail(Errc::not_permitted, "the directory may not be written", errno);
    }
    return fail(Errc::operating_system, "the socket cannot be given its name", errno);
  }
  let_descriptors_through(*fd, 0);
  // Its mode comes first: nobody shall find it listening and be kept out.
  Status open = open_to_everybody(directory, name);
  if (open && syscalls().listen(fd->get(), backlog) < 0) {
    open = fail(Errc::operating_system, "the socket cannot listen", errno);
  }
  if (!open) {
    syscalls().unlinkat(directory.get(), name, 0);
    return std::unexpected(open.error());
  }
  return fd;
}

Result<Fd> connect_at(const Fd& directory, const char* name) {
  const Result<sockaddr_un> address = address_of(directory, name);
  if (!address) return std::unexpected(address.error());
  Result<Fd> fd = make_socket();
  if (!fd) return fd;
  const int connected = uninterrupted(
      [&] { return syscalls().connect(fd->get(), generic(*address), sizeof *address); });
  if (connected == 0) return fd;
  switch (errno) {
    case ENOENT:
    case ECONNREFUSED:
      return fail(Errc::not_found, "nobody listens under this name");
    case EAGAIN:
      return fail(Errc::again, "too many are waiting to be accepted", EAGAIN);
    case EACCES:
    case EPERM:
      return fail(Errc::not_permitted, "the socket may not be reached", errno);
    default:
      return fail(Errc::operating_system, "the socket cannot be reached", errno);
  }
}

Result<std::optional<Fd>> accept(const Fd& listener) {
  for (int aborted = 0; aborted < kAbortedMax; ++aborted) {
    Fd fd(uninterrupted([&] {
      return syscalls().accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    }));
    if (fd) return fd;
    if (errno == EAGAIN) return std::nullopt;
    if (errno != ECONNABORTED) {
      return fail(Errc::operating_system, "a connection cannot be accepted", errno);
    }
  }
  return std::nullopt;
}

Result<std::pair<Fd, Fd>> pair() {
  std::array<int, 2> fds = {};
  if (syscalls().socketpair(AF_UNIX, kSocketType, 0, fds.data()) < 0) {
    return fail(Errc::operating_system, "no sockets can be made", errno);
  }
  return std::pair(Fd(fds[0]), Fd(fds[1]));
}

void take_descriptors(const Fd& socket) { let_descriptors_through(socket, 1); }

void shut_down(const Fd& socket) { syscalls().shutdown(socket.get(), SHUT_RDWR); }

namespace {

// Any descriptor will do; this one needs no file system.
Fd any_descriptor() { return Fd(syscalls().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

}  // namespace

Result<ReserveFd> ReserveFd::create() {
  Fd fd = any_descriptor();
  if (!fd) return fail(Errc::operating_system, "no descriptor is left for a reserve", errno);
  return ReserveFd(std::move(fd));
}

bool ReserveFd::refuse_one(const Fd& listener) {
  fd_.reset();
  bool refused = false;
  if (const Result<std::optional<Fd>> caller = accept(listener)) refused = caller->has_value();
  fd_ = any_descriptor();  // The caller has been hung up on: there is room again.
  return refused;
}

}  // namespace comch::os
