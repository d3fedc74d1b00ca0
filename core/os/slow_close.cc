// Slow close: see slow_close.h.
#include "os/slow_close.h"

#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "base/say.h"
#include "os/syscalls.h"

namespace comch::os {
namespace {

// Its places are a bound and make no edges, but for one: CLOSED, from a thread that has closed what
// it was given to who sees it gone in slow_closes().
constinit std::atomic<std::size_t> under_way{0};

bool take_place() {
  if (under_way.fetch_add(1, std::memory_order_relaxed) < kSlowClosesMax) return true;  // No edge.
  under_way.fetch_sub(1, std::memory_order_relaxed);                                    // No edge.
  return false;
}

// Never to be closed: the process ends sooner than their owners let go.
void abandon(std::vector<Fd> fds) {
  for (Fd& fd : fds) std::ignore = fd.release();
}

}  // namespace

// No question reaches the file system behind a file. One that is not answered, which does not
// happen, is no reason to suspect anybody.
Closing closing_of(const Fd& fd) {
  if (syscalls().get_seals(fd.get()) >= 0 || errno != EINVAL) return Closing::kAtOnce;
  const auto is = [&](int option, int wanted) {
    int answer = wanted;
    socklen_t size = sizeof answer;
    const int asked = syscalls().getsockopt(fd.get(), SOL_SOCKET, option, &answer, &size);
    return asked == 0 ? answer == wanted : errno != ENOTSOCK;
  };
  const bool is_line =
      is(SO_DOMAIN, AF_UNIX) && is(SO_TYPE, SOCK_SEQPACKET) && is(SO_ACCEPTCONN, 0);
  return is_line ? Closing::kOnceEmpty : Closing::kSlow;
}

void close_elsewhere(std::vector<Fd> fds) {
  if (!take_place()) {
    say(LogLevel::kError, "{} descriptors of a peer stay open: {} threads wait for others to close",
        fds.size(), kSlowClosesMax);
    return abandon(std::move(fds));
  }
  // Shared, so that a thread that cannot be made leaves them here.
  auto kept = std::make_shared<std::vector<Fd>>(std::move(fds));
  // Signals are the application's, and so are the threads that it expects them on.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([kept] {
      kept->clear();
      under_way.fetch_sub(1, std::memory_order_release);  // Makes CLOSED.
    }).detach();
  } catch (const std::system_error&) {
    under_way.fetch_sub(1, std::memory_order_relaxed);  // No edge; see under_way.
    abandon(std::move(*kept));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::size_t slow_closes() { return under_way.load(std::memory_order_acquire); }  // CLOSED.

}  // namespace comch::os
