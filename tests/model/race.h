// race: two threads of a program for ThreadSanitizer, one of which sends what the other receives.
//
// Threads: it makes the sending one and joins it. Errors: the answer is main()'s.
#pragma once

#include <chrono>
#include <cstdio>
#include <thread>

namespace comch::model {

// A mistake may leave both threads waiting for each other.
inline bool too_late() {
  static const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  return std::chrono::steady_clock::now() > deadline;
}

// `receive()` says whether every message arrived.
template <class Send, class Receive>
int race(Send send, Receive receive) {
  static_cast<void>(too_late());  // The deadline counts from here.
  bool whole = false;
  {
    std::jthread sending(send);
    whole = receive();
  }
  std::puts(whole ? "every message arrived" : "messages were lost");
  return whole ? 0 : 1;
}

}  // namespace comch::model
