// Sign: a word in memory that a peer writes, by which one load tells that nothing has come.
//
// Threads: a value. Lifetime: the word's is for whoever gave it to say. Errors: none.
// Tests: sign_test.cc.
#pragma once

#include <atomic>
#include <cstdint>

namespace comch::transport {

struct Sign {
  const std::uint64_t* word = nullptr;  // Null: there is none.
  std::uint64_t quiet = 0;              // What it is while there is nothing.

  explicit operator bool() const { return word != nullptr; }
  bool is_quiet() const {
    // No edge: a hint; whoever takes what it stands for meets that. The word is only looked at.
    const std::atomic_ref<std::uint64_t> looked_at(*const_cast<std::uint64_t*>(word));
    return looked_at.load(std::memory_order_relaxed) == quiet;
  }
};

}  // namespace comch::transport
