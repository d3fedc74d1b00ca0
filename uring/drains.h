// Drains: whether an operation of an io_uring waits for all ahead of it, and holds back all behind
// it (IOSQE_IO_DRAIN). Who has waits of his own in such a ring is waited for, and waits in vain.
//
//   if (drains.look(ring)) ...;          // Ahead of each submission: one is prepared, or was.
//   ...                                  // Own ones are prepared, of which none is such.
//   drains.pass(ring);
//
// What is prepared is looked at where it lies, from the last look on; it lies there yet when it was
// submitted meanwhile. What was written over is taken for one that drains. The kernel does not say
// when one is over, and so the answer stays.
//
// Threads: the ring's. Lifetime: the io_uring is another's, and the same at each call. Errors:
// none. Tests: joined_test.cc, kernel_wait_test.cc.
#pragma once

#include <liburing.h>

namespace comch::uring {

class Drains {
 public:
  // What was submitted ahead of this is not looked at.
  void begin(const io_uring& ring) { seen_ = io_uring_smp_load_acquire(ring.sq.khead); }

  bool any() const { return any_; }
  bool has_news(const io_uring& ring) const { return ring.sq.sqe_tail != seen_; }
  // True: there are any, for the first time.
  bool look(const io_uring& ring) {
    const unsigned count = ring.sq.sqe_tail - seen_;
    const bool had = any_;
    any_ = any_ || count > entries(ring);
    for (; !any_ && has_news(ring); ++seen_) any_ = drains(ring, seen_);
    pass(ring);
    return any_ && !had;
  }
  void pass(const io_uring& ring) { seen_ = ring.sq.sqe_tail; }

 private:
  static unsigned entries(const io_uring& ring) { return *ring.sq.kring_mask + 1; }
  static bool drains(const io_uring& ring, unsigned position) {
    const unsigned shift = (ring.flags & IORING_SETUP_SQE128) != 0 ? 1 : 0;
    const unsigned index = position & *ring.sq.kring_mask;
    return (ring.sq.sqes[std::size_t{index} << shift].flags & IOSQE_IO_DRAIN) != 0;
  }

  unsigned seen_ = 0;  // As the ring's tail, up to which it was looked at.
  bool any_ = false;
};

}  // namespace comch::uring
