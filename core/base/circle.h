// Circle: a queue of at most N small things, in place.
//
//   if (!circle.full()) circle.push_back(thing);
//   while (!circle.empty() && over(circle.front())) circle.pop_front();
//
// Threads: a value. Errors: none; the caller asks full() and empty() first.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>

namespace comch {

template <class T, std::size_t N>
class Circle {
  static_assert(std::has_single_bit(N), "a place is found by masking");

 public:
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == N; }
  std::size_t size() const { return size_; }

  void push_back(const T& thing) { append() = thing; }
  // One more at the end, for the caller to fill in: it is what its place held before.
  T& append() {
    assert(!full());
    return things_[(first_ + size_++) & (N - 1)];
  }
  T& front() {
    assert(!empty());
    return things_[first_];
  }
  // The n-th from the front.
  T& operator[](std::size_t n) {
    assert(n < size_);
    return things_[(first_ + n) & (N - 1)];
  }
  void pop_front() {
    assert(!empty());
    first_ = (first_ + 1) & (N - 1);
    --size_;
  }

 private:
  std::array<T, N> things_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace comch
