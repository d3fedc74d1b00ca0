// Fifo: a queue of a capacity that is taken once. What lets nobody in beyond it are credits, so
// that a push into a full one is this program's bug.
//
// Threads: a value of one thread.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace comch::transport::rdma {

template <class T>
class Fifo {
 public:
  explicit Fifo(std::size_t capacity) : places_(capacity) {}

  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  void push(const T& value) {
    assert(size() < places_.size());
    places_[end_++ % places_.size()] = value;
  }
  const T& front() const {
    assert(!empty());
    return places_[first_ % places_.size()];
  }
  T pop() {
    assert(!empty());
    return places_[first_++ % places_.size()];
  }

 private:
  std::vector<T> places_;
  std::size_t first_ = 0;  // Both count for ever.
  std::size_t end_ = 0;
};

}  // namespace comch::transport::rdma
