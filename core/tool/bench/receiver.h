// Receiver: how a benchmark takes messages of one size from a consumer, and posts again.
//
//   auto receiver = Receiver::create(by, {size, reads});
//   receiver->configure(*consumer, depth);               // Before the consumer starts.
//   ... start it, until it runs ...
//   receiver->begin(*consumer, memory->buffers());
//   Result<std::size_t> arrived = receiver->take(from);  // 0: turn the engine first
//
// Each message is looked at: see reading.h.
//
// Threads: the consumer's.
// Lifetime: outlives the consumer, whose callbacks lead here; is outlived by the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/consumer.h"
#include "tool/bench/fast_plan.h"
#include "tool/bench/reading.h"

namespace comch::tool {

class Receiver {
 public:
  static std::unique_ptr<Receiver> create(By by, const Reading& read);

  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;

  virtual Status configure(Consumer& consumer, std::uint32_t depth) = 0;
  virtual Status begin(Consumer& consumer, std::span<Buffer* const> buffers) = 0;
  // Takes what has arrived, at most from.size(), and says whose each was.
  virtual Result<std::size_t> take(std::span<ProducerId> from) = 0;

 protected:
  Receiver() = default;
};

}  // namespace comch::tool
