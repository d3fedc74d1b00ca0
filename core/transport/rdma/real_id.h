// RealId: an Id of librdmacm, and RealEventChannel, which tells of them.
//
// Threads, Errors: as verbs.h says.
//
// Lifetime: an id keeps its channel, and the queue pair it has made, which the library would
// otherwise touch when it is gone. Events are acknowledged at once, so that nothing waits for us.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "transport/rdma/real_domain.h"
#include "transport/rdma/real_handles.h"
#include "transport/rdma/real_queue_pair.h"
#include "transport/rdma/verbs.h"

namespace comch::transport::rdma {

// The domain of each device that all connections share, made when the first of them is. Any thread.
class RealDomains {
 public:
  Result<std::shared_ptr<RealDomain>> of(rdma_cm_id& id);

 private:
  std::mutex mutex_;
  std::unordered_map<ibv_context*, std::weak_ptr<RealDomain>> domains_;
};

// What a channel and its ids share.
struct RealCm {
  CmChannel channel;
  std::shared_ptr<RealDomains> domains;
};

class RealId final : public Id {
 public:
  RealId(std::shared_ptr<RealCm> cm, CmId id);
  ~RealId() override;

  Status resolve_address(const std::optional<Address>& source, const Address& target,
                         int timeout_ms) override;
  Status resolve_route(int timeout_ms) override;
  Status connect(std::span<const std::byte> data, const Patience& patience) override;
  Status listen(const Address& address, int backlog) override;
  Status accept(std::span<const std::byte> data, const Patience& patience) override;
  Status reject(std::span<const std::byte> data) override;
  Status disconnect() override;
  std::shared_ptr<Domain> domain() const override { return domain_; }
  Result<std::shared_ptr<QueuePair>> create_queue_pair(const QueuePairOptions& options) override;
  Result<std::shared_ptr<const Path>> path() const override;
  Address local() const override;
  Address peer() const override;

  // For the channel. The id has found its device.
  Status on_device();
  void on_established();

 private:
  // What connect and accept say of themselves, for as long as `data` lives.
  rdma_conn_param parameters(std::span<const std::byte> data, const Patience& patience);

  const std::shared_ptr<RealCm> cm_;
  std::shared_ptr<RealDomain> domain_;
  std::shared_ptr<RealQueuePair> queue_pair_;
  const CmId id_;  // Last: it goes first.
  Patience patience_;
};

class RealEventChannel final : public EventChannel {
 public:
  explicit RealEventChannel(std::shared_ptr<RealCm> cm) : cm_(std::move(cm)) {}
  int fd() const override { return cm_->channel->fd; }
  Result<std::optional<Event>> next() override;
  Result<std::unique_ptr<Id>> make_id() override;

 private:
  Event translate(const rdma_cm_event& from);
  // The new end of a connection; kOther where it could not be had.
  Event on_request(const rdma_cm_event& from, Event event);

  const std::shared_ptr<RealCm> cm_;
};

}  // namespace comch::transport::rdma
