// MsgqReceives: the receives that a consumer of a MsgQ posts, for one run of it.
//
// A message uses one up until whoever reads has all of it; then it is posted again.
//
// Threads: the loop's. Lifetime: shared by the consumer's directory and what has arrived, which
// may outlive the consumer.
#pragma once

#include <cstdint>
#include <memory>

#include "accelerator_end.h"
#include "arrival.h"
#include "engine_host.h"

namespace comch::fuse {

class MsgqReceives : public std::enable_shared_from_this<MsgqReceives> {
 public:
  MsgqReceives(EngineHost& host, std::shared_ptr<AcceleratorEnd> end)
      : host_(host), end_(std::move(end)) {}
  MsgqReceives(const MsgqReceives&) = delete;
  MsgqReceives& operator=(const MsgqReceives&) = delete;
  ~MsgqReceives() = default;

  // The consumer runs: this many are posted, and from now on each one that is free again.
  Status post_all(Consumer& consumer, std::uint32_t count);
  // It does so no more, and its MsgQ may end.
  void end_posting();

  // What a task of the consumer brought. The task is free when this returns.
  std::shared_ptr<const Arrival> take(ReceiveTask& task);

 private:
  class QueueArrival;
  Status post() const;

  EngineHost& host_;
  std::shared_ptr<AcceleratorEnd> end_;
  Consumer* consumer_ = nullptr;  // Null: it does not run.
};

}  // namespace comch::fuse
