// RealQueuePair: a QueuePair of libibverbs, and the Path that one without rdma_cm goes.
//
// Threads, Errors: as traffic.h says. A queue pair has one completion queue at least of ours, and
// keeps both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "transport/rdma/real_handles.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

class RealDomain;

// What the library is asked for. The queues of `options` are ours.
ibv_qp_init_attr queue_pair_attributes(const QueuePairOptions& options);

// What rdma_cm says of the three steps that bring a queue pair of a connection to life.
class RealPath final : public Path {
 public:
  struct Step {
    ibv_qp_attr attributes{};
    int mask = 0;
  };
  static Result<std::shared_ptr<const Path>> make(rdma_cm_id& id);

  Step initialise;
  Step receive;
  Step send;
};

class RealQueuePair final : public QueuePair {
 public:
  static Result<std::shared_ptr<RealQueuePair>> make(std::shared_ptr<const RealDomain> domain,
                                                     Queues queues, const QueuePairOptions& options,
                                                     std::uint32_t max_inline);
  RealQueuePair(std::shared_ptr<const RealDomain> domain, Queues queues,
                const QueuePairOptions& options, std::uint32_t max_inline,
                std::uint32_t first_packet);

  std::uint32_t number() const override { return queues_->qp_num; }
  std::uint32_t max_inline() const override { return max_inline_; }
  Status post(std::span<const SendRequest> requests, std::size_t& posted) override;
  Status post(std::span<const ReceiveRequest> requests) override;
  PeerQueuePair self() const override { return {number(), first_packet_}; }
  Status connect(const Path& path, const PeerQueuePair& peer, const Patience& patience) override;
  void flush() override;

  // After rdma_cm has brought it to life: what it cannot be told before.
  Status set_min_rnr_timer(std::uint8_t code);

 private:
  Status take(const RealPath::Step& step);

  const std::shared_ptr<const RealDomain> domain_;
  const std::shared_ptr<CompletionQueue> send_queue_;
  const std::shared_ptr<CompletionQueue> receive_queue_;
  const Queues queues_;  // Last: it goes before its completion queues.
  const std::uint32_t max_inline_;
  const std::uint32_t first_packet_;
};

}  // namespace comch::transport::rdma
