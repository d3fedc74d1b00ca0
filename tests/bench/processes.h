// Processes: runs the two sides of a cell, each in a process and on a processor of its own.
//
//   return ask(pair, [](const Gate& ready) { serve(ready); }, [] { return round_trip(); });
//
// The answering side opens `ready` when it can be talked to; then the asking side runs, and
// the number it returns is the cell's. It tells the other side to end in its own way.
//
// measure_on() does without an answering side.
//
// SharedMemory: zero pages that both sides see, for cells without a library in between.
//
// Threads: forks, so call it while the process has no other threads.
// Errors: std::runtime_error when a side fails, or does not end; none outlives the call.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <type_traits>

#include "bench/placement.h"
#include "support/child_process.h"

namespace comch::bench {

using test::Gate;

double ask(const Pair& pair, const std::function<void(const Gate& ready)>& answerer,
           const std::function<double()>& asker);

double measure_on(int processor, const std::function<double()>& body);

// Pages that are there take a new process a fault each, which is not to be measured: nor is the one
// that a hypervisor takes for each, which only a look of the process itself brings about.
void touch_pages(std::span<std::byte> memory);

// Whole pages, made and unmade with the object.
class SharedPages {
 public:
  explicit SharedPages(std::size_t bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  void* data() const { return data_; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }

 private:
  std::size_t bytes_;
  void* data_;
};

template <class T>
class SharedMemory {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SharedMemory() : pages_(sizeof(T)), object_(new(pages_.data()) T()) {}
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  SharedPages pages_;
  T* object_;
};

}  // namespace comch::bench
