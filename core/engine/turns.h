// Turns: whether the program answers what comes, one by one, as far as an engine can tell: between
// two messages something that it had submitted was complete.
//
//   turns.completed();  turns.received();  turns.is_near() ? short_pause() : pause();
//
// Who answers waits for a peer that does nothing but answer: what it looks at is written once, and
// then at once. Who only takes what comes leaves the writer the line; it would have it fetched back
// for every message. And who waits for long leaves the processor to others.
//
// Threads: the engine's. Errors: none.
#pragma once

#include <utility>

namespace comch::engine {

class Turns {
 public:
  // Looks within which an answer is near: 10 to 50 us of them.
  static constexpr int kLooks = 1024;

  void completed() { completed_ = true; }
  void received() { left_ = std::exchange(completed_, false) ? kLooks : 0; }
  // To be asked once for each look that finds nothing.
  [[nodiscard]] bool is_near() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  bool completed_ = false;  // Since the last message.
  int left_ = 0;
};

}  // namespace comch::engine
