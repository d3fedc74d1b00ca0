// Stalled: the ends at which something waits, each once, in no order; End::stalled says whether.
//
// Threads: the ring's. Lifetime: an end is taken out before it goes. Errors: std::bad_alloc, of
// reserve() alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace comch::uring {

template <class End>
class Stalled {
 public:
  // For so many ends, all of which may be in here.
  void reserve(std::size_t ends) { ends_.reserve(ends); }
  bool empty() const { return ends_.empty(); }
  std::span<End* const> all() const { return ends_; }

  void add(End& end) {
    if (end.stalled) return;
    end.stalled = true;
    ends_.push_back(&end);
  }
  void remove(End& end) {
    if (end.stalled) std::erase(ends_, &end);
  }
  // Calls `retry` with each, which says whether it did something and sets End::stalled; those at
  // which nothing waits any more are out. True: one did something.
  template <class Retry>
  bool look(Retry&& retry) {
    bool did = false;
    for (std::size_t n = 0; n < ends_.size();) {
      End& end = *ends_[n];
      did = retry(end) || did;
      if (end.stalled) {
        ++n;
      } else {
        ends_[n] = ends_.back();
        ends_.pop_back();
      }
    }
    return did;
  }

 private:
  std::vector<End*> ends_;
};

}  // namespace comch::uring
