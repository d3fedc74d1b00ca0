// CppLane: a lane of the C++ API, in each of its ways. See lane.h.
#pragma once

#include <memory>

#include "comch/comch.h"
#include "tool/bench/lane.h"
#include "tool/bench/memory.h"
#include "tool/bench/receiver.h"
#include "tool/bench/sender.h"
#include "tool/bench/turn.h"

namespace comch::tool {

class CppLane final : public Lane {
 public:
  static Outcome<std::unique_ptr<Lane>> create(Connection& connection,
                                               const std::shared_ptr<Device>& device,
                                               const FastPlan& plan, Depth depth);
  ~CppLane() override;

  Outcome<> start() override;
  bool running() const override { return consumer_->state() == ContextState::kRunning; }
  Outcome<> begin() override;
  Outcome<> stop() override;
  bool idle() override;
  void progress() override { engine_->progress(); }

  ProducerId producer_id() const override { return producer_->id(); }
  ConsumerId consumer_id() const override { return consumer_->id(); }
  ProducerCounters counters() const override { return producer_->counters(); }

  Outcome<std::size_t> send(ConsumerId to, std::size_t most) override;
  Outcome<bool> sent_all() override;
  Outcome<std::size_t> take(std::span<ProducerId> from) override;
  void wait() override;
  void wait_for_space(std::span<const ConsumerId> consumers) override;

 private:
  explicit CppLane(const FastPlan& plan) : plan_(plan) {}
  Status make(Connection& connection, const std::shared_ptr<Device>& device, Depth depth);

  const FastPlan& plan_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Memory> posted_;
  std::unique_ptr<Memory> sources_;
  std::unique_ptr<Sender> sender_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<Producer> producer_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<Turn<ProgressEngine>> turn_;
  unsigned looks_ = 0;
};

}  // namespace comch::tool
