// RealCompletionQueue: a CompletionQueue of libibverbs with a wake-up channel of its own.
//
// Threads, Errors: as traffic.h says.
#pragma once

#include <cstdint>
#include <memory>

#include "transport/rdma/real_handles.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

class RealDomain;

class RealCompletionQueue final : public CompletionQueue {
 public:
  static Result<std::shared_ptr<CompletionQueue>> make(std::shared_ptr<const RealDomain> domain,
                                                       std::uint32_t depth);

  RealCompletionQueue(std::shared_ptr<const RealDomain> domain, WakeChannel channel,
                      Completions queue);
  ~RealCompletionQueue() override;

  Result<std::size_t> poll(std::span<Completion> out) override;
  int fd() const override { return channel_->fd; }
  Status arm(bool solicited_only) override;
  void drain() override;

  ibv_cq& queue() const { return *queue_; }

 private:
  const std::shared_ptr<const RealDomain> domain_;
  const WakeChannel channel_;
  const Completions queue_;  // Last: it goes before its channel.
};

}  // namespace comch::transport::rdma
