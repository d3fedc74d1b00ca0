// Outcome: what became of a message that was given to a lane, whatever carries it.
#pragma once

#include <cstdint>

namespace comch::transport {

enum class Outcome : std::uint8_t {
  kSent,           // Complete. Between machines: its data is copied, and nobody waits for the rest.
  kUnderWay,       // Accepted; the data must not change before step() has counted it.
  kNothingPosted,  // Or: no room in the lane, or too much is under way.
  kBusy,           // A long message is ahead of it.
  kTooLong,        // For the buffer that is posted next, which stays so; or for a view.
  kImmediateTooLong,
  kGone,      // The consumer.
  kBroken,    // Its side broke the protocol, or cannot be reached.
  kNoMemory,  // Between machines: no room for a loan can be registered.
};

}  // namespace comch::transport
