// Syscalls: every question comch asks the kernel, as a table of function pointers.
//
// Nothing outside core/os makes a system call, and core/os makes all of them through
// this table. A test that wants the fifth call to fail puts a rigged table in its place
// (tests/unit/os/rigged_syscalls.h), so every error path can be walked at memory speed:
//
//   ScopedSyscalls scope(rigged_table);
//   EXPECT_EQ(make_sealed_memfd("ring", 4096).error().sys, ENOSPC);
//
// The members have the signature and the errno convention of the calls they are named
// after; where a call is variadic there is one member per use.
//
// Threads: the accessor may be called anywhere. A table is replaced by one thread while
// no other is inside core/os, which only a test can arrange.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>

#include <cstddef>

namespace comch::os {

struct Syscalls {
  // Descriptors.
  int (*close)(int fd);
  ssize_t (*read)(int fd, void* into, size_t size);
  ssize_t (*write)(int fd, const void* from, size_t size);
  ssize_t (*pread)(int fd, void* into, size_t size, off_t at);
  ssize_t (*pread_cached)(int fd, void* into, size_t size, off_t at);  // preadv2(RWF_NOWAIT)
  int (*duplicate)(int fd);                                            // fcntl(F_DUPFD_CLOEXEC)
  int (*status_flags)(int fd);                                         // fcntl(F_GETFL)
  int (*set_nonblocking)(int fd);  // fcntl(F_SETFL) with O_NONBLOCK added
  int (*poll)(pollfd* fds, nfds_t count, int timeout_ms);
  int (*bytes_waiting)(int fd, int* bytes);  // ioctl(FIONREAD)

  // Memory.
  int (*memfd_create)(const char* name, unsigned flags);
  int (*ftruncate)(int fd, off_t size);
  int (*fallocate)(int fd, int mode, off_t at, off_t size);
  int (*add_seals)(int fd, int seals);  // fcntl(F_ADD_SEALS)
  int (*get_seals)(int fd);             // fcntl(F_GET_SEALS)
  int (*fstatfs)(int fd, struct statfs* out);
  void* (*mmap)(void* at, size_t size, int protection, int flags, int fd, off_t offset);
  int (*munmap)(void* at, size_t size);
  int (*madvise)(void* at, size_t size, int advice);

  // Files and directories.
  int (*openat)(int directory, const char* name, int flags, mode_t mode);
  int (*fstat)(int fd, struct stat* out);
  int (*known_mode)(int fd, mode_t* out);  // statx(AT_STATX_DONT_SYNC)
  int (*fstatat)(int directory, const char* name, struct stat* out, int flags);
  int (*fchmodat)(int directory, const char* name, mode_t mode, int flags);
  int (*mkdirat)(int directory, const char* name, mode_t mode);
  int (*unlinkat)(int directory, const char* name, int flags);
  int (*faccessat)(int directory, const char* name, int mode, int flags);
  ssize_t (*getdents64)(int fd, void* into, size_t size);
  int (*flock)(int fd, int operation);

  // Sockets.
  int (*socket)(int domain, int type, int protocol);
  int (*socketpair)(int domain, int type, int protocol, int fds[2]);
  int (*bind)(int fd, const sockaddr* address, socklen_t size);
  int (*listen)(int fd, int backlog);
  int (*connect)(int fd, const sockaddr* address, socklen_t size);
  int (*accept4)(int fd, sockaddr* address, socklen_t* size, int flags);
  ssize_t (*sendmsg)(int fd, const msghdr* message, int flags);
  ssize_t (*recvmsg)(int fd, msghdr* message, int flags);
  int (*shutdown)(int fd, int how);
  int (*getsockopt)(int fd, int level, int option, void* value, socklen_t* size);
  int (*setsockopt)(int fd, int level, int option, const void* value, socklen_t size);

  // Other processes, and chance.
  int (*pidfd_open)(pid_t pid, unsigned flags);
  int (*pidfd_getfd)(int pidfd, int fd, unsigned flags);
  ssize_t (*process_vm_writev)(pid_t pid, const iovec* local, unsigned long local_count,
                               const iovec* remote, unsigned long remote_count,
                               unsigned long flags);
  ssize_t (*getrandom)(void* into, size_t size, unsigned flags);

  // Waiting.
  int (*eventfd)(unsigned value, int flags);
  int (*epoll_create1)(int flags);
  int (*epoll_ctl)(int fd, int operation, int target, epoll_event* event);
  int (*epoll_wait)(int fd, epoll_event* events, int count, int timeout_ms);
  int (*epoll_pwait2)(int fd, epoll_event* events, int count, const timespec* timeout);
  int (*timerfd_create)(clockid_t clock, int flags);
  int (*timerfd_settime)(int fd, int flags, const itimerspec* when, itimerspec* before);
  int (*membarrier)(int command, unsigned flags);
  long (*futex_wake)(const void* word, int most);  // futex(FUTEX_WAKE), of shared memory
  int (*clock_gettime)(clockid_t clock, timespec* now);

  // Who we are.
  uid_t (*geteuid)();
  gid_t (*getegid)();
  pid_t (*getpid)();
  int (*open_files)(rlimit* limit);  // getrlimit(RLIMIT_NOFILE)
};

// The kernel itself.
extern const Syscalls kKernel;

// The table in force.
const Syscalls& syscalls();

// Puts `table` in force for as long as the object lives; scopes nest. `table` must
// outlive the object. For tests.
class ScopedSyscalls {
 public:
  explicit ScopedSyscalls(const Syscalls& table);
  ~ScopedSyscalls();
  ScopedSyscalls(const ScopedSyscalls&) = delete;
  ScopedSyscalls& operator=(const ScopedSyscalls&) = delete;

 private:
  const Syscalls* before_;
};

}  // namespace comch::os
