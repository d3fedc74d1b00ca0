// Sign: a word in memory that a peer writes, by which one load tells that nothing has come.
//
// The line behind the word's is asked for with it: a message of 64 bytes lies in two. A processor
// that waits for the word expects it to be quiet, and runs ahead so far.
//
// Threads: a value. Lifetime: the word's is for whoever gave it to say. Errors: none.
// Tests: sign_test.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.h"
#include "base/prefetch.h"

namespace comch::transport {

struct Sign {
  const std::uint64_t* word = nullptr;  // Null: there is none.
  std::uint64_t quiet = 0;              // What it is while there is nothing.

  explicit operator bool() const { return word != nullptr; }
  bool is_quiet() const {
    // No edge: a hint; whoever takes what it stands for meets that. The word is only looked at.
    const std::atomic_ref<std::uint64_t> looked_at(*const_cast<std::uint64_t*>(word));
    if (looked_at.load(std::memory_order_relaxed) != quiet) return false;
    // What lies there, if anything does, is not looked at.
    prefetch(
        reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(word) + kCacheLine));
    return true;
  }
};

}  // namespace comch::transport
