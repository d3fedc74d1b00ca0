// NextAnswer: where the answer to a message will be written, so that its lines are on their way
// while the message is looked at.
//
//   next.lies_at(lane.next_slot());  // Behind what is sent.
//   next.expect();                   // A message is found; ahead of all that is done with it.
//
// A peer that waits for an answer looks at the slot that it will be in, so that the slot's lines
// are with it. Taking them back takes as long as fetching a message does, and when they are asked
// for by the stores of the answer, that is added to the rest. Asked for as soon as a message is
// found, they come while it is worked on; and most often sooner than that, for a processor that
// waits for the message's line runs ahead of it, so far as a few hundred instructions, and the
// first of them asks (core/ARCHITECTURE.md).
//
// Who sends without being answered, or receives without answering, asks for nothing that it would
// not have soon, and once for many messages.
//
// Threads: the engine's. Lifetime: the slot need not outlive what is said of it; a processor that
// is asked for memory that is not there does nothing. Errors: none. Tests: next_answer_test.cc.
#pragma once

#include <cstddef>

#include "base/prefetch.h"

namespace comch::transport {

class NextAnswer {
 public:
  static constexpr std::size_t kBytes = 128;  // Two lines: a lane's slot.

  void lies_at(const std::byte* slot) { slot_ = slot; }
  const std::byte* slot() const { return slot_; }  // Null: nobody has said, or it was asked for.

  void expect() {
    if (slot_ == nullptr) return;
    prefetch_for_write(slot_);
    prefetch_for_write(slot_ + kBytes / 2);
    slot_ = nullptr;
  }

 private:
  const std::byte* slot_ = nullptr;
};

}  // namespace comch::transport
