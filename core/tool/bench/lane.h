// Lane: what one thread of a benchmark works with: an engine, a producer and a consumer on it.
//
//   auto lane = Lane::create(connection, device, plan, {.posted = plan.depth()}).value();
//   lane->start();
//   while (!lane->running()) { lane->progress(); ... the connection's engine ... }
//   lane->begin();
//   ... a thread: send(), take(), wait() ...
//   lane->stop();
//   while (!lane->idle()) { lane->progress(); ... }
//
// Threads: created, started, stopped and destroyed by the connection's thread; used between
// by any one thread at a time.
// Lifetime: is outlived by its connection.
// Errors: complaints that say which step failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/comch.h"
#include "tool/bench/fast_plan.h"
#include "tool/bench/memory.h"
#include "tool/bench/receiver.h"
#include "tool/bench/sender.h"
#include "tool/bench/turn.h"
#include "tool/complaint.h"

namespace comch::tool {

class Lane {
 public:
  struct Depth {
    std::uint32_t posted = kReplyDepth;  // Buffers to receive into.
    std::uint32_t sent = kReplyDepth;    // Messages on their way out.
  };

  static Outcome<std::unique_ptr<Lane>> create(Connection& connection,
                                               const std::shared_ptr<Device>& device,
                                               const FastPlan& plan, Depth depth);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Outcome<> start();
  bool running() const { return consumer_->state() == ContextState::kRunning; }
  Outcome<> begin();
  Outcome<> stop();
  bool idle();
  // One turn without waiting, for the beginning and the end.
  void progress() { engine_->progress(); }

  ProducerId producer_id() const { return producer_->id(); }
  ConsumerId consumer_id() const { return consumer_->id(); }
  ProducerCounters counters() const { return producer_->counters(); }

  // 0: nothing could be sent; call wait_for_space(), or wait() when it was an answer.
  Outcome<std::size_t> send(ConsumerId to, std::size_t most);
  Outcome<bool> sent_all();
  // 0: nothing is there; call wait().
  Outcome<std::size_t> take(std::span<ProducerId> from);
  // A turn of the engine, in the way that the plan says.
  void wait();
  void wait_for_space(std::span<const ConsumerId> consumers);

 private:
  explicit Lane(const FastPlan& plan) : plan_(plan) {}
  Status make(Connection& connection, const std::shared_ptr<Device>& device, Depth depth);

  const FastPlan& plan_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Memory> posted_;
  std::unique_ptr<Memory> sources_;
  std::unique_ptr<Sender> sender_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<Turn> turn_;
  unsigned looks_ = 0;
};

}  // namespace comch::tool
