// FastWord: what the client of a fast-path benchmark asks its server for, on the control path.
//
// Each is one message: the word, and what belongs to it. The server does it and sends the
// word back. In this order: kPartners, then kEcho ... kStop, kCount ... kFence, kStop, kEnd.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <type_traits>

#include "comch/consumer.h"

namespace comch::tool {

enum class FastWord : std::uint8_t {
  kPartners = 1,  // Then Partner for Partner: to which consumer a producer wants its answers.
  kEcho,          // From here on every message is sent back.
  kCount,         // From here on messages are counted.
  kFence,         // Then how many messages were sent; answered when all are received.
  kStop,          // Ends kEcho and kCount.
  kEnd,           // Consumers and producers end.
};

struct Partner {
  ProducerId producer{};
  ConsumerId consumer{};
};
static_assert(std::is_trivially_copyable_v<Partner>, "it goes through a message");

}  // namespace comch::tool
