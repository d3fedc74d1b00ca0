// Chore: something that may take its time, done by a thread of its own so that the loop goes on:
// reading a file that may lie in this very mount, or waiting for somebody else's code to return.
//
//   auto chore = Chore::start(bell, [part] { part->stop(); });
//   ...                                        // The bell rings when it is done.
//   if (chore->is_done()) ...                  // What it wrote can be read.
//
// Threads: `work` runs on its own thread, everything else is the loop's. Lifetime: `work` keeps
// what it uses; one that never ends costs a thread, and ends with the process.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "bell.h"

namespace comch::fuse {

class Chore {
 public:
  // Null: there is no thread to be had, and `work` was not run.
  static std::shared_ptr<Chore> start(std::shared_ptr<const Bell> bell, std::function<void()> work);

  bool is_done() const {
    // DONE: meets the thread's release, behind all that `work` wrote.
    return done_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<bool> done_ = false;
};

}  // namespace comch::fuse
