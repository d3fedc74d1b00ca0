// RdmaConsumerImpl: what stands behind a Consumer whose producers are on another machine: tasks or
// arrays on top of a port, inside the life of a context.
//
// It ends as a ConsumerImpl does (consumer_impl.h). What one machine alone can do is answered
// not_supported: messages that stay where they are, ways of copying.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comch/array_posts.h"
#include "comch/connection_impl.h"
#include "comch/consumer.h"
#include "comch/consumer_core.h"
#include "comch/consumer_face.h"
#include "comch/memory_map_impl.h"
#include "engine/source.h"
#include "transport/rdma/consumer_port.h"

namespace comch {

class RdmaConsumerImpl final : public ConsumerCore,
                               public engine::Source,
                               public transport::rdma::ConsumerPortOwner {
 public:
  RdmaConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                   std::shared_ptr<transport::rdma::Hub> hub);
  ~RdmaConsumerImpl() override;

  static RdmaConsumerImpl& of(Consumer& face);
  static const RdmaConsumerImpl& of(const Consumer& face);

  // Configuration; see Consumer.
  Status set_immediate_size(std::uint32_t bytes);
  Status set_way(DataWay way);
  DataWay way() const { return idle() ? wanted_way_ : DataWay::kMapped; }
  ConsumerId id() const { return ConsumerId{port_ ? port_->id() : 0}; }
  ConnectionImpl& connection() const { return connection_; }
  MsgQ* queue() const { return nullptr; }
  ConsumerCounters counters() const;
  std::size_t posted() const { return port_ ? port_->posted() : 0; }

  // Tasks.
  Result<ReceiveTask*> allocate(Buffer* buffer);
  Status submit(ReceiveTaskImpl& task);
  bool try_submit(ReceiveTaskImpl& task);
  Status set_buffer(ReceiveTaskImpl& task, Buffer* buffer);

  // Arrays.
  Result<std::size_t> post(std::span<Buffer* const> buffers);
  std::size_t poll(std::span<Received> out);
  std::size_t take_back(std::span<Buffer*> out);
  Status give_back(const HandedOver& message);

  // For the engine.
  bool poll() override;
  bool arm() override { return port_->arm(); }
  bool ready() override { return port_->ready(); }
  void disarm() override { port_->disarm(); }
  void relax() override { port_->relax(); }

  // For the port.
  void on_accepted() override { ContextCore::ready(); }
  void on_wake() override;
  void on_lost(const Error& error) override;

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool on_work() override;
  bool drained() const override;
  void on_idle() override;
  void on_cut_off() override;

 private:
  using Arrival = transport::rdma::Arrival;
  static constexpr std::size_t kBudget = 64;  // Messages of one progress().

  bool may_post(const Buffer* buffer) const;
  Status check_buffer(const Buffer* buffer) const;
  void post(ReceiveTaskImpl& task);
  void put_up(std::uint16_t index, const BufferImpl* buffer);
  void count(const Arrival& arrival);
  void hand_out(const Arrival& arrival);
  bool bring_back();

  ConnectionImpl& connection_;
  MemoryMapImpl& map_;
  const std::shared_ptr<transport::rdma::Hub> hub_;
  DataWay wanted_way_ = DataWay::kAuto;
  std::unique_ptr<transport::rdma::ConsumerPort> port_;
  std::optional<Error> ending_;  // Why what is posted comes back.
  bool polled_out_ = false;      // Since then poll() has found nothing.
  ArrayPosts posts_;
  std::vector<Buffer*> back_posts_;                                   // For take_back().
  std::array<std::uint64_t, transport::rdma::kPassages> messages_{};  // By how they came.
  std::uint64_t bytes_ = 0;
  std::uint64_t wakes_received_ = 0;  // Of a port that is no more.
};

// The Consumer that an application holds.
class RdmaConsumerObject final : public ConsumerFace {
 public:
  RdmaConsumerObject(ConnectionImpl& connection, MemoryMapImpl& map,
                     std::shared_ptr<transport::rdma::Hub> hub)
      : ConsumerFace(Kind::kRdma), impl(*this, connection, map, std::move(hub)) {}
  RdmaConsumerImpl impl;
};

inline RdmaConsumerImpl& RdmaConsumerImpl::of(Consumer& face) {
  return static_cast<RdmaConsumerObject&>(face).impl;
}
inline const RdmaConsumerImpl& RdmaConsumerImpl::of(const Consumer& face) {
  return static_cast<const RdmaConsumerObject&>(face).impl;
}

}  // namespace comch
