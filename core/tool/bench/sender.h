// Sender: how a benchmark sends messages of one size through a producer.
//
//   auto sender = Sender::create(way, by, depth);
//   sender->configure(*producer);                        // Before the producer starts.
//   ... start it ...
//   sender->begin(*producer, memory->buffers());
//   Result<std::size_t> sent = sender->send(consumer, 64);   // 0: turn the engine first
//   while (!sender->done()) turn();
//   sender->end();                                       // Before the producer stops.
//
// What is sent is whatever the buffers hold; a loan has its first bytes written, in place.
//
// Threads: the producer's.
// Lifetime: outlives the producer, whose callbacks lead here; is outlived by the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/producer.h"
#include "tool/bench/fast_plan.h"

namespace comch::tool {

class Sender {
 public:
  static std::unique_ptr<Sender> create(Way way, By by, std::uint32_t depth);

  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  virtual ~Sender() = default;

  virtual Status configure(Producer& producer) = 0;
  virtual Status begin(Producer& producer, std::span<Buffer* const> buffers) = 0;
  // Sends at most `most` and answers how many were; 0 when the consumer has nothing posted,
  // or too much is under way.
  virtual Result<std::size_t> send(ConsumerId to, std::size_t most) = 0;
  // Whether everything that was sent is complete. Errors: a send has failed since.
  virtual Result<bool> done() = 0;
  virtual void end() {}

 protected:
  Sender() = default;
};

}  // namespace comch::tool
