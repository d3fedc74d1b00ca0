// Timer: a descriptor that becomes readable at a moment of the monotonic clock.
//
//   Timer timer = Timer::create().value();
//   timer.set(monotonic_ns() + 5'000'000);   // Readable in 5 ms,
//   timer.drain();                            // until it is drained or set again.
//
// Threads: any; the last set() wins.
#pragma once

#include <cstdint>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

class Timer {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // operating_system: see sys.
  static Result<Timer> create();

  // A moment that has passed already makes it readable at once; kNever disarms it.
  void set(std::uint64_t due_ns) const;

  // True: it had gone off since the last drain.
  bool drain() const;

  const Fd& fd() const { return fd_; }

 private:
  explicit Timer(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

}  // namespace comch::os
