// Syscalls: the table that leads to the kernel, and which table is in force.
#include "os/syscalls.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>

namespace comch::os {

// Where libc's function has the member's signature it stands here itself; a lambda
// narrows a variadic call to one use, or makes a call that libc has no name for.
constinit const Syscalls kKernel{
    .close = ::close,
    .read = ::read,
    .write = ::write,
    .pread = ::pread,
    .pread_cached =
        [](int fd, void* into, size_t size, off_t at) {
          const iovec to{.iov_base = into, .iov_len = size};
          return ::preadv2(fd, &to, 1, at, RWF_NOWAIT);
        },
    .duplicate = [](int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 3); },  // 0 to 2 are stdio's.
    .status_flags = [](int fd) { return ::fcntl(fd, F_GETFL); },
    .set_nonblocking =
        [](int fd) {
          const int flags = ::fcntl(fd, F_GETFL);
          return flags < 0 ? -1 : ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
        },
    .poll = ::poll,
    .bytes_waiting = [](int fd, int* bytes) { return ::ioctl(fd, FIONREAD, bytes); },
    .memfd_create = ::memfd_create,
    .ftruncate = ::ftruncate,
    .fallocate = ::fallocate,
    .add_seals = [](int fd, int seals) { return ::fcntl(fd, F_ADD_SEALS, seals); },
    .get_seals = [](int fd) { return ::fcntl(fd, F_GET_SEALS); },
    .fstatfs = ::fstatfs,
    .mmap = ::mmap,
    .munmap = ::munmap,
    .madvise = ::madvise,
    .openat = [](int directory, const char* name, int flags,
                 mode_t mode) { return ::openat(directory, name, flags, mode); },
    .fstat = ::fstat,
    .known_mode =
        [](int fd, mode_t* out) {
          struct statx is{};
          const int asked = ::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &is);
          *out = is.stx_mode;
          return asked;
        },
    .fstatat = ::fstatat,
    .fchmodat = ::fchmodat,
    .mkdirat = ::mkdirat,
    .unlinkat = ::unlinkat,
    .faccessat = ::faccessat,
    .getdents64 = ::getdents64,
    .flock = ::flock,
    .socket = ::socket,
    .socketpair = ::socketpair,
    .bind = ::bind,
    .listen = ::listen,
    .connect = ::connect,
    .accept4 = ::accept4,
    .sendmsg = ::sendmsg,
    .recvmsg = ::recvmsg,
    .shutdown = ::shutdown,
    .getsockopt = ::getsockopt,
    .setsockopt = ::setsockopt,
    .pidfd_open =
        [](pid_t pid, unsigned flags) {
          return static_cast<int>(::syscall(SYS_pidfd_open, pid, flags));
        },
    .pidfd_getfd =
        [](int pidfd, int fd, unsigned flags) {
          return static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, fd, flags));
        },
    .process_vm_writev = ::process_vm_writev,
    .getrandom = ::getrandom,
    .eventfd = ::eventfd,
    .epoll_create1 = ::epoll_create1,
    .epoll_ctl = ::epoll_ctl,
    .epoll_wait = ::epoll_wait,
    .epoll_pwait2 =
        [](int fd, epoll_event* events, int count, const timespec* timeout) {
          return ::epoll_pwait2(fd, events, count, timeout, nullptr);
        },
    .timerfd_create = ::timerfd_create,
    .timerfd_settime = ::timerfd_settime,
    .membarrier =
        [](int command, unsigned flags) {
          return static_cast<int>(::syscall(SYS_membarrier, command, flags, 0));
        },
    .futex_wake = [](const void* word,
                     int most) { return ::syscall(SYS_futex, word, FUTEX_WAKE, most); },
    .clock_gettime = ::clock_gettime,
    .geteuid = ::geteuid,
    .getegid = ::getegid,
    .getpid = ::getpid,
    .open_files = [](rlimit* limit) { return ::getrlimit(RLIMIT_NOFILE, limit); },
};

namespace {
// Changed by tests only, while no other thread is in here: relaxed is enough.
constinit std::atomic<const Syscalls*> in_force{&kKernel};
}  // namespace

const Syscalls& syscalls() {
  return *in_force.load(std::memory_order_relaxed);  // Meets no edge; see above.
}

ScopedSyscalls::ScopedSyscalls(const Syscalls& table)
    : before_(in_force.exchange(&table, std::memory_order_relaxed)) {}  // Makes no edge.

ScopedSyscalls::~ScopedSyscalls() {
  in_force.store(before_, std::memory_order_relaxed);  // Makes no edge.
}

}  // namespace comch::os
