// Lane: what one thread of a benchmark works with: an engine, a producer and a consumer on it.
//
//   auto lane = link.make_lane({.posted = plan.depth()}).value();
//   lane->start();
//   while (!lane->running()) { lane->progress(); ... the connection's engine ... }
//   lane->begin();
//   ... a thread: send(), take(), wait() ...
//   lane->stop();
//   while (!lane->idle()) { lane->progress(); ... }
//
// There is a kind for each API: CppLane and DocaLane.
//
// Threads: created, started, stopped and destroyed by the connection's thread; used between
// by any one thread at a time.
// Lifetime: is outlived by its connection.
// Errors: complaints that say which step failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "tool/bench/fast_plan.h"
#include "tool/complaint.h"

namespace comch::tool {

class Lane {
 public:
  struct Depth {
    std::uint32_t posted = kReplyDepth;  // Buffers to receive into.
    std::uint32_t sent = kReplyDepth;    // Messages on their way out.
  };

  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;

  virtual Outcome<> start() = 0;
  virtual bool running() const = 0;
  virtual Outcome<> begin() = 0;
  virtual Outcome<> stop() = 0;
  virtual bool idle() = 0;
  // One turn without waiting, for the beginning and the end.
  virtual void progress() = 0;

  virtual ProducerId producer_id() const = 0;
  virtual ConsumerId consumer_id() const = 0;
  virtual ProducerCounters counters() const { return {}; }  // The C API has none.

  // 0: nothing could be sent; call wait_for_space(), or wait() when it was an answer.
  virtual Outcome<std::size_t> send(ConsumerId to, std::size_t most) = 0;
  virtual Outcome<bool> sent_all() = 0;
  // 0: nothing is there; call wait().
  virtual Outcome<std::size_t> take(std::span<ProducerId> from) = 0;
  // A turn of the engine, in the way that the plan says.
  virtual void wait() = 0;
  virtual void wait_for_space(std::span<const ConsumerId> consumers) = 0;

 protected:
  Lane() = default;
};

}  // namespace comch::tool
