// Gap: how long an empty poll of a caller that polls by itself waits before it looks again, by how
// long what it waits for takes to come.
//
//   taken = poll(gap.pauses());  gap.polled(taken);
//
// Whoever looks takes the line from its writer, if that has asked for it ahead (next_answer.h): of
// a peer whose answers take several hundred nanoseconds, across caches, most looks between do
// nothing but that. Of one beside ours an answer is there within a few looks, and a longer gap
// would be a part of what it takes. So the gap is longer where the last wait was a long one.
//
// Threads: the engine's. Lifetime: a value. Errors: none. Tests: gap_test.cc.
#pragma once

#include <algorithm>

namespace comch::transport::shm {

class Gap {
 public:
  static constexpr int kShort = 1;
  static constexpr int kLong = 3;   // 60 ns, where a PAUSE takes 20.
  static constexpr int kWait = 12;  // Of a long one.

  // Of what pause() does, between two looks.
  int pauses() const { return pauses_; }
  // What an empty call takes beside its pauses is about one more.
  void polled(bool any) {
    if (!any) {
      waited_ = std::min(waited_ + pauses_ + 1, kWait);
      return;
    }
    pauses_ = waited_ == kWait ? kLong : kShort;
    waited_ = 0;
  }

 private:
  int pauses_ = kShort;
  int waited_ = 0;  // Since something came, in pauses.
};

}  // namespace comch::transport::shm
