// KernelRing: an io_uring, closed with it.
//
// Threads: its process's one. Errors: std::system_error.
#pragma once

#include <liburing.h>

#include <system_error>

namespace comch::bench {

class KernelRing {
 public:
  KernelRing() { need_kernel(io_uring_queue_init(32, &ring_, 0), "io_uring"); }
  ~KernelRing() { io_uring_queue_exit(&ring_); }
  KernelRing(const KernelRing&) = delete;
  KernelRing& operator=(const KernelRing&) = delete;

  io_uring* get() { return &ring_; }
  io_uring_sqe* next() { return io_uring_get_sqe(&ring_); }
  void submit_and_wait() { need_kernel(io_uring_submit_and_wait(&ring_, 1), "io_uring_enter"); }
  void forget_completions() { io_uring_cq_advance(&ring_, io_uring_cq_ready(&ring_)); }

 private:
  static void need_kernel(int result, const char* what) {
    if (result < 0) throw std::system_error(-result, std::generic_category(), what);
  }
  io_uring ring_{};
};

}  // namespace comch::bench
