// Turns: whether a ring answers what comes to it, message by message: between two that a source
// brought it sent one by itself. Its peer answers as well then, most likely, and the source that
// brought the last one is looked at a few times more before a look ends: of all that the ring and
// its application do between two looks, an answer that comes in meanwhile would wait for half.
//
//   turns.sent();
//   for (int more = turns.looks(&source); count == 0 && more != 0; --more) count = look(source);
//   if (count != 0) turns.received(&source);
//
// Threads: the ring's. Lifetime: a value. Errors: none. Tests: turns_test.cc.
#pragma once

#include <utility>

namespace comch::uring {

class Turns {
 public:
  // Looks that find nothing and are still lengthened, about 200 us of them.
  static constexpr int kPatience = 512;
  // By so many of one source: 0.4 us, for others are waiting, too.
  static constexpr int kLooks = 8;

  void sent() { sent_ = true; }
  void received(const void* source) {
    left_ = std::exchange(sent_, false) ? kPatience : 0;
    source_ = source;
  }
  // To be asked once for a source that has brought nothing: how often it is looked at again.
  [[nodiscard]] int looks(const void* source) {
    if (left_ == 0 || source != source_) return 0;
    --left_;
    return kLooks;
  }

 private:
  bool sent_ = false;  // Since the last message.
  int left_ = 0;
  const void* source_ = nullptr;  // That brought the last one; it may be no more.
};

}  // namespace comch::uring
