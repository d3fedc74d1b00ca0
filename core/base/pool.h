// Pool: a fixed number of objects, made once, lent and taken back.
//
//   Pool<Task> tasks = Pool<Task>::create(64).value();
//   Task* task = tasks.acquire();       // nullptr: all are out
//   tasks.release(task);
//
// After create() nothing is allocated. The object that came back last is lent next: it
// is the one most likely to be in the cache. Objects are neither constructed nor
// destroyed in between; acquire() gives them as release() found them.
//
// Threads: a pool belongs to one thread.
// Lifetime: the objects live as long as the pool, at the same address, also when the
// pool is moved.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "comch/result.h"

namespace comch {

template <class T>
class Pool {
 public:
  // no_memory: there is none for so many. invalid_value: more than 2^32 - 2 objects.
  static Result<Pool> create(std::size_t count) {
    if (count >= kLent) return fail(Errc::invalid_value, "a pool cannot hold so many objects");
    std::unique_ptr<T[]> objects(new (std::nothrow) T[count]);
    std::unique_ptr<std::uint32_t[]> next(new (std::nothrow) std::uint32_t[count]);
    if (!objects || !next) return fail(Errc::no_memory, "there is no memory for the pool");
    return Pool(std::move(objects), std::move(next), static_cast<std::uint32_t>(count));
  }

  // A pool of nothing.
  Pool() = default;
  Pool(Pool&& other) noexcept { swap(other); }
  Pool& operator=(Pool&& other) noexcept {
    Pool taken(std::move(other));
    swap(taken);
    return *this;
  }

  std::size_t size() const { return size_; }
  std::size_t in_use() const { return in_use_; }
  bool full() const { return in_use_ == size_; }

  // One object, or nullptr when all are out.
  T* acquire() {
    if (first_free_ == kNone) return nullptr;
    const std::uint32_t index = first_free_;
    first_free_ = std::exchange(next_[index], kLent);
    ++in_use_;
    return &objects_[index];
  }

  // Takes back what acquire() gave.
  void release(T* object) {
    assert(owns(object) && is_lent(*object));
    const std::size_t index = index_of(*object);
    next_[index] = std::exchange(first_free_, static_cast<std::uint32_t>(index));
    --in_use_;
  }

  // All objects, lent or not, in the order of their addresses.
  std::span<T> all() { return {objects_.get(), size_}; }
  bool is_lent(const T& object) const { return next_[index_of(object)] == kLent; }
  std::size_t index_of(const T& object) const {
    return static_cast<std::size_t>(&object - objects_.get());
  }
  // Whether `object` is one of this pool's, whatever else it may be.
  bool owns(const T* object) const {
    const std::less<const T*> before;
    return size_ != 0 && !before(object, objects_.get()) && before(object, objects_.get() + size_);
  }

  // Calls `use` for each object that is out. It may release that object.
  template <class Use>
  void for_each_lent(Use use) {
    for (T& object : all()) {
      if (is_lent(object)) use(object);
    }
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kLent = kNone - 1;

  Pool(std::unique_ptr<T[]> objects, std::unique_ptr<std::uint32_t[]> next, std::uint32_t size)
      : objects_(std::move(objects)), next_(std::move(next)), size_(size) {
    for (std::uint32_t i = size; i-- > 0;) next_[i] = std::exchange(first_free_, i);
  }

  void swap(Pool& other) noexcept {
    std::swap(objects_, other.objects_);
    std::swap(next_, other.next_);
    std::swap(size_, other.size_);
    std::swap(in_use_, other.in_use_);
    std::swap(first_free_, other.first_free_);
  }

  std::unique_ptr<T[]> objects_;
  std::unique_ptr<std::uint32_t[]> next_;  // Per object: the next free one, or kLent.
  std::uint32_t size_ = 0;
  std::uint32_t in_use_ = 0;
  std::uint32_t first_free_ = kNone;
};

}  // namespace comch
