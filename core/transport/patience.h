// Patience: how a poll that has found nothing looks again, and whether that pays: whether the
// program answers what comes, one by one.
//
//   patience.answered();                                    // Something was sent, or is complete.
//   found = patience.look(this, [&] { return look(); });    // And again if there is nothing.
//   if (found) patience.received(this);
//
// Who answers waits for a peer that does nothing but answer: what it looks at is written once, and
// then at once. It looks again and again, with less between than a call of the program takes to
// come back: of all the time until the answer that is what there is to save. Who only takes what
// comes leaves the writer the line, which it would have fetched back for every message, and looks
// but once more, behind a pause: of all that an empty call takes, what comes in meanwhile has
// waited longest then. So does who has waited for long, which leaves the processor to others, and
// whoever did not bring the last message: of many that are polled, the others wait for nobody.
//
// Threads: the engine's. Errors: none. Tests: patience_test.cc.
#pragma once

#include "base/pause.h"

namespace comch::transport {

class Patience {
 public:
  // Empty calls within which an answer is near: 100 to 400 us of them.
  static constexpr int kCalls = 1024;
  // Further looks of one that is near: 0.4 us, for others are waiting, too. The first follow close
  // upon another, for what is on a processor beside ours is there at once; those behind them leave
  // the line to a writer that is further away.
  static constexpr int kLooks = 16;
  static constexpr int kEager = 6;
  // Calls that bring something for one that answers. What is answered may come in parts.
  static constexpr int kUnanswered = 2;

  void answered() { unanswered_ = 0; }
  // To be told once for each call that brings something, and by whom: whoever looks.
  void received(const void* who) {
    who_ = who;
    if (unanswered_ < kUnanswered) {
      ++unanswered_;
      left_ = kCalls;
    } else {
      left_ = 0;
    }
  }
  bool is_near(const void* who) const { return left_ != 0 && who == who_; }

  // To be asked once for each call that has found nothing: how often it looks again.
  [[nodiscard]] int looks(const void* who) {
    if (!is_near(who)) return 1;
    --left_;
    return kLooks;
  }
  // What `look` finds, at first or again.
  template <class Look>
  auto look(const void* who, Look look) {
    auto found = look();
    return found ? found : look_again(who, look);
  }
  // The same of one that has looked.
  template <class Look>
  auto look_again(const void* who, Look look) {
    const int most = looks(who);
    for (int n = 1;; ++n) {
      rest(most, n);
      auto found = look();
      if (found || n == most) return found;
    }
  }

 private:
  // Ahead of the `n`-th of so many further looks, the first being 1. Two PAUSEs in an empty call
  // would be worse than none.
  static void rest(int looks, int n) {
    if (looks == 1) return pause();
    for (int part = n > kEager ? 3 : 1; part != 0; --part) short_pause();
  }

  int unanswered_ = kUnanswered;  // Calls that brought something since the last answer.
  int left_ = 0;                  // Empty calls.
  const void* who_ = nullptr;     // Who brought the last message.
};

}  // namespace comch::transport
