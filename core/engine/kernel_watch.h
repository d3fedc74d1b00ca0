// KernelWatch: the descriptors an engine waits on, and who is told of each.
//
// One epoll instance; its descriptor is the engine's event_fd(), so that a sleeping
// program is woken by whatever wakes the engine.
//
// Threads: the engine's. Lifetime: a Readiness may be withdrawn at any time, also while
// look() is telling others: a slot carries a generation, and a report for an older
// generation is dropped.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "comch/result.h"
#include "os/poller.h"
#include "transport/reactor.h"

namespace comch::engine {

class KernelWatch {
 public:
  static Result<KernelWatch> create();

  // What a descriptor's being readable means to the application: something has happened, or
  // the engine was only woken to look.
  enum class Meaning : std::uint8_t { kNews, kWakeUp };

  // already_exist: it is watched. operating_system: see sys.
  Status watch(int fd, transport::Readiness& who, Meaning meaning = Meaning::kNews);
  void unwatch(int fd);

  // Asks the kernel once, without waiting, and tells whom it concerns; true when there was
  // news.
  bool look();
  // Sleeps until something is readable or the time is over.
  void sleep(std::chrono::nanoseconds timeout);

  int fd() const { return poller_.fd().get(); }

 private:
  // What is known of one descriptor.
  struct Slot {
    transport::Readiness* who = nullptr;  // Null: not watched.
    Meaning meaning = Meaning::kNews;
    std::uint32_t generation = 0;
  };
  explicit KernelWatch(os::Poller poller) : poller_(std::move(poller)) {}

  os::Poller poller_;
  std::vector<Slot> slots_;  // By descriptor, of which the kernel gives the lowest free one.
};

}  // namespace comch::engine
