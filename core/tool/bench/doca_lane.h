// DocaLane: a lane of the C API, by tasks. See lane.h.
#pragma once

#include <doca_comch.h>
#include <doca_dev.h>

#include <memory>

#include "tool/bench/doca_ends.h"
#include "tool/bench/doca_engine.h"
#include "tool/bench/doca_memory.h"
#include "tool/bench/lane.h"
#include "tool/bench/turn.h"

namespace comch::tool {

class DocaLane final : public Lane {
 public:
  static Outcome<std::unique_ptr<Lane>> create(doca_comch_connection* connection, doca_dev* device,
                                               const FastPlan& plan, Depth depth);

  Outcome<> start() override;
  bool running() const override { return state_of(receiver_.ctx()) == DOCA_CTX_STATE_RUNNING; }
  Outcome<> begin() override;
  Outcome<> stop() override;
  bool idle() override;
  void progress() override { engine_->progress(); }

  ProducerId producer_id() const override { return sender_.id(); }
  ConsumerId consumer_id() const override { return receiver_.id(); }

  Outcome<std::size_t> send(ConsumerId to, std::size_t most) override;
  Outcome<bool> sent_all() override;
  Outcome<std::size_t> take(std::span<ProducerId> from) override;
  void wait() override { (*turn_)(); }
  void wait_for_space(std::span<const ConsumerId>) override;

 private:
  DocaLane(const FastPlan& plan, Depth depth)
      : plan_(plan), sender_(depth.sent), receiver_({plan.size, plan.reads}) {}
  Status make(doca_comch_connection* connection, doca_dev* device, Depth depth);

  const FastPlan& plan_;
  std::unique_ptr<DocaEngine> engine_;
  std::unique_ptr<DocaMemory> posted_;
  std::unique_ptr<DocaMemory> sources_;
  DocaSender sender_;
  DocaReceiver receiver_;
  std::unique_ptr<Turn<DocaEngine>> turn_;
  std::unique_ptr<Turn<DocaEngine>> turn_for_space_;
};

}  // namespace comch::tool
