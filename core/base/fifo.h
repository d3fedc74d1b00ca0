// Fifo: pointers, first in, first out: at most so many, and room for all of them from the start.
//
//   Fifo<Task> due = Fifo<Task>::create(64).value();
//   due.push_back(task);
//   while (Task* task = due.pop_front()) ...
//
// Nothing is written into what waits, and nothing read of it: of many things that wait together
// most are out of the nearest cache, and each link of an IntrusiveList would have to be fetched.
//
// Threads: a fifo belongs to one thread. Lifetime: it owns none of them. Errors: of create() alone;
// who fills it knows how many there are.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "comch/result.h"

namespace comch {

template <class T>
class Fifo {
 public:
  // no_memory: there is none for so many.
  static Result<Fifo> create(std::size_t most) {
    const std::size_t places = std::bit_ceil(most);
    std::unique_ptr<T*[]> things(new (std::nothrow) T*[places]);
    if (!things) return fail(Errc::no_memory, "there is no memory for what waits");
    return Fifo(std::move(things), places - 1);
  }

  // One that holds nothing.
  Fifo() = default;
  Fifo(Fifo&& other) noexcept { swap(other); }
  Fifo& operator=(Fifo&& other) noexcept {
    Fifo taken(std::move(other));
    swap(taken);
    return *this;
  }

  bool empty() const { return first_ == end_; }

  void push_back(T& thing) {
    assert(things_ && end_ - first_ <= mask_);
    things_[end_++ & mask_] = &thing;
  }
  // Nullptr: it is empty.
  T* pop_front() { return empty() ? nullptr : things_[first_++ & mask_]; }
  void clear() { first_ = end_; }

 private:
  Fifo(std::unique_ptr<T*[]> things, std::size_t mask) : things_(std::move(things)), mask_(mask) {}

  void swap(Fifo& other) noexcept {
    std::swap(things_, other.things_);
    std::swap(mask_, other.mask_);
    std::swap(first_, other.first_);
    std::swap(end_, other.end_);
  }

  std::unique_ptr<T*[]> things_;
  std::size_t mask_ = 0;
  std::size_t first_ = 0;  // Of all that were ever in it.
  std::size_t end_ = 0;
};

}  // namespace comch
