// SyscallCounter: a seccomp filter that notifies, and the thread that is notified.
#include "bench/syscall_counter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

namespace comch::bench {
namespace {

// Counters only: no edge is made or met.
constinit std::atomic<std::uint64_t> look_count{0};
constinit std::atomic<std::uint64_t> other_count{0};

bool is_look(int number) {
  return number == SYS_epoll_pwait || number == SYS_epoll_pwait2
#ifdef SYS_epoll_wait
         || number == SYS_epoll_wait
#endif
      ;
}

// Until the thread that is counted has ended.
void count(int listener) {
  for (;;) {
    seccomp_notif call{};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      if (errno == EINTR || errno == ENOENT) continue;
      return;
    }
    (is_look(call.data.nr) ? look_count : other_count).fetch_add(1, std::memory_order_relaxed);
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

int notify_about_every_call() {
  sock_filter report{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = SECCOMP_RET_USER_NOTIF};
  const sock_fprog program{.len = 1, .filter = &report};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

}  // namespace

SyscallCounter::SyscallCounter() {
  // From the filter on no call of this thread returns before the other one serves it, so that
  // one is started first, and the descriptor handed over without a system call.
  static std::atomic<int> listener{-1};
  std::thread([] {
    int fd = -1;
    // HANDOVER: meets the release below.
    while ((fd = listener.load(std::memory_order_acquire)) == -1) std::this_thread::yield();
    if (fd >= 0) count(fd);
  }).detach();
  const int fd = notify_about_every_call();
  const int error = errno;
  listener.store(fd >= 0 ? fd : -2, std::memory_order_release);  // HANDOVER
  if (fd < 0) throw std::system_error(error, std::generic_category(), "seccomp");
}

std::uint64_t SyscallCounter::looks() const { return look_count.load(std::memory_order_relaxed); }
std::uint64_t SyscallCounter::others() const { return other_count.load(std::memory_order_relaxed); }

}  // namespace comch::bench
