// RiggedSyscalls: the kernel, but the n-th call fails.
//
//   RiggedSyscalls rig({.nth = 3, .sys = EMFILE, .sticky = true});
//   ... the third call and all behind it fail with EMFILE ...
//   EXPECT_TRUE(rig.reached());
//
// Calls are counted over the whole table, whoever makes them. close() and munmap() do
// their work and then fail, as they do in life: what they were to free is free. A socket
// or file that a failing call would have made is not made.
//
// Threads: one, and no two at a time.
#pragma once

#include <cerrno>
#include <cstdint>
#include <type_traits>

#include "os/syscalls.h"

namespace comch::test {

struct Fault {
  std::uint64_t nth = 0;  // Counted from 1; 0 never comes.
  int sys = 0;
  bool sticky = false;  // Every call from the n-th on, not only it.
};

class RiggedSyscalls {
 public:
  explicit RiggedSyscalls(Fault fault) : scope_((start(fault), table())) {}
  ~RiggedSyscalls() = default;
  RiggedSyscalls(const RiggedSyscalls&) = delete;
  RiggedSyscalls& operator=(const RiggedSyscalls&) = delete;

  // Whether the n-th call was made, so that something has failed.
  bool reached() const { return plan_.nth != 0 && calls_ >= plan_.nth; }
  std::uint64_t calls() const { return calls_; }

 private:
  static void start(Fault fault) {
    plan_ = fault;
    calls_ = 0;
  }

  static bool fails_now() {
    ++calls_;
    return plan_.nth != 0 && (calls_ == plan_.nth || (plan_.sticky && calls_ > plan_.nth));
  }

  template <class R>
  static R failure() {
    if constexpr (std::is_pointer_v<R>) {
      return reinterpret_cast<R>(std::intptr_t{-1});  // MAP_FAILED.
    } else {
      return R{-1};
    }
  }

  // The member of the table that `Member` names, with a failure in front of it (or
  // behind it, where the kernel does the work whatever it answers).
  template <auto Member, bool kWorksAnyway = false>
  struct Call;
  template <class R, class... Args, R (*os::Syscalls::*Member)(Args...), bool kWorksAnyway>
  struct Call<Member, kWorksAnyway> {
    static R run(Args... args) {
      if (!fails_now()) return (os::kKernel.*Member)(args...);
      if constexpr (kWorksAnyway) (os::kKernel.*Member)(args...);
      errno = plan_.sys;
      return failure<R>();
    }
  };

  static const os::Syscalls& table();

  static inline Fault plan_;
  static inline std::uint64_t calls_ = 0;

  os::ScopedSyscalls scope_;
};

inline const os::Syscalls& RiggedSyscalls::table() {
  using os::Syscalls;
  static const Syscalls kTable{
      .close = Call<&Syscalls::close, true>::run,
      .read = Call<&Syscalls::read>::run,
      .write = Call<&Syscalls::write>::run,
      .pread = Call<&Syscalls::pread>::run,
      .pread_cached = Call<&Syscalls::pread_cached>::run,
      .duplicate = Call<&Syscalls::duplicate>::run,
      .status_flags = Call<&Syscalls::status_flags>::run,
      .set_nonblocking = Call<&Syscalls::set_nonblocking>::run,
      .poll = Call<&Syscalls::poll>::run,
      .bytes_waiting = Call<&Syscalls::bytes_waiting>::run,
      .memfd_create = Call<&Syscalls::memfd_create>::run,
      .ftruncate = Call<&Syscalls::ftruncate>::run,
      .fallocate = Call<&Syscalls::fallocate>::run,
      .add_seals = Call<&Syscalls::add_seals>::run,
      .get_seals = Call<&Syscalls::get_seals>::run,
      .fstatfs = Call<&Syscalls::fstatfs>::run,
      .mmap = Call<&Syscalls::mmap>::run,
      .munmap = Call<&Syscalls::munmap, true>::run,
      .madvise = Call<&Syscalls::madvise>::run,
      .openat = Call<&Syscalls::openat>::run,
      .fstat = Call<&Syscalls::fstat>::run,
      .known_mode = Call<&Syscalls::known_mode>::run,
      .fstatat = Call<&Syscalls::fstatat>::run,
      .fchmodat = Call<&Syscalls::fchmodat>::run,
      .mkdirat = Call<&Syscalls::mkdirat>::run,
      .unlinkat = Call<&Syscalls::unlinkat>::run,
      .faccessat = Call<&Syscalls::faccessat>::run,
      .getdents64 = Call<&Syscalls::getdents64>::run,
      .flock = Call<&Syscalls::flock>::run,
      .socket = Call<&Syscalls::socket>::run,
      .socketpair = Call<&Syscalls::socketpair>::run,
      .bind = Call<&Syscalls::bind>::run,
      .listen = Call<&Syscalls::listen>::run,
      .connect = Call<&Syscalls::connect>::run,
      .accept4 = Call<&Syscalls::accept4>::run,
      .sendmsg = Call<&Syscalls::sendmsg>::run,
      .recvmsg = Call<&Syscalls::recvmsg>::run,
      .shutdown = Call<&Syscalls::shutdown>::run,
      .getsockopt = Call<&Syscalls::getsockopt>::run,
      .setsockopt = Call<&Syscalls::setsockopt>::run,
      .pidfd_open = Call<&Syscalls::pidfd_open>::run,
      .pidfd_getfd = Call<&Syscalls::pidfd_getfd>::run,
      .process_vm_writev = Call<&Syscalls::process_vm_writev>::run,
      .getrandom = Call<&Syscalls::getrandom>::run,
      .eventfd = Call<&Syscalls::eventfd>::run,
      .epoll_create1 = Call<&Syscalls::epoll_create1>::run,
      .epoll_ctl = Call<&Syscalls::epoll_ctl>::run,
      .epoll_wait = Call<&Syscalls::epoll_wait>::run,
      .epoll_pwait2 = Call<&Syscalls::epoll_pwait2>::run,
      .timerfd_create = Call<&Syscalls::timerfd_create>::run,
      .timerfd_settime = Call<&Syscalls::timerfd_settime>::run,
      .membarrier = Call<&Syscalls::membarrier>::run,
      .futex_wake = Call<&Syscalls::futex_wake>::run,
      // Who we are and what time it is the kernel always answers.
      .clock_gettime = os::kKernel.clock_gettime,
      .geteuid = os::kKernel.geteuid,
      .getegid = os::kKernel.getegid,
      .getpid = os::kKernel.getpid,
      .open_files = os::kKernel.open_files,
  };
  return kTable;
}

}  // namespace comch::test
