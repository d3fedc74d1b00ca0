// RdmaProducerImpl: what stands behind a Producer whose consumers are on another machine: tasks,
// arrays and loans on top of a port, which has a lane to each consumer, inside the life of a
// context.
//
// A send is under way until the other machine has acknowledged it. While anything is, or is
// waited for, its consumer has a Traffic here, and the engine polls.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/connection_impl.h"
#include "comch/memory_map_impl.h"
#include "comch/producer.h"
#include "comch/producer_core.h"
#include "comch/producer_face.h"
#include "engine/source.h"
#include "transport/rdma/producer_port.h"

namespace comch {

class RdmaProducerImpl final : public ProducerCore,
                               public engine::Source,
                               public transport::Alarm,
                               public transport::rdma::ProducerPortOwner {
 public:
  RdmaProducerImpl(Producer& face, ConnectionImpl& connection,
                   std::shared_ptr<transport::rdma::Hub> hub);
  ~RdmaProducerImpl() override;

  static RdmaProducerImpl& of(Producer& face);
  static const RdmaProducerImpl& of(const Producer& face);

  // Configuration; see Producer. What is of one machine alone is checked as there and not used.
  Status on_returned(const Producer::ReturnHandler& handler);
  Status set_cooperative_size(std::size_t bytes);
  Status set_staging_size(std::size_t bytes);
  Status set_lane_size(std::uint32_t messages);
  ProducerId id() const { return ProducerId{port_ ? port_->id() : 0}; }
  ConnectionImpl& connection() const { return connection_; }
  MsgQ* queue() const { return nullptr; }
  ProducerCounters counters() const;

  // Tasks.
  Result<ProducerTask*> allocate(const Buffer* buffer, Bytes immediate, ConsumerId consumer);
  Status submit(ProducerTaskImpl& task);
  bool try_submit(ProducerTaskImpl& task);

  // Arrays.
  Result<std::size_t> send(ConsumerId consumer, std::span<const Outgoing> messages);
  bool busy(ConsumerId consumer) const;
  Status request_space(ConsumerId consumer);
  bool has_space(ConsumerId consumer);

  // In place: in memory of this machine, which is then sent.
  Result<Loan> reserve(ConsumerId consumer);
  Status commit(const Loan& loan, std::size_t length, Bytes immediate);
  Status abandon(const Loan& loan);
  // not_supported, both.
  Status hand_over(ConsumerId consumer, Buffer& buffer, Bytes immediate);
  Result<PeerMemory> memory(ConsumerId consumer);
  std::size_t handed_over() const { return 0; }

  // For the engine.
  bool poll() override;
  bool arm() override;
  bool ready() override;
  void disarm() override {}
  void relax() override {}

  // For the port.
  void on_wake() override { update_attention(); }
  void on_lost(const Error& error) override;

  // The consumer has made no room for long while we were stopping.
  void on_alarm() override;

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool drained() const override;
  void on_idle() override;
  void on_cut_off() override;

 private:
  using OutLane = transport::rdma::OutLane;
  using Outcome = transport::rdma::Outcome;
  // What is not over with one consumer.
  struct Traffic {
    IntrusiveList<ProducerTaskImpl> under_way;  // Accepted by the lane, in order.
    IntrusiveList<ProducerTaskImpl> waiting;    // Behind a long message.
    std::size_t under_way_count = 0;
    // One message of send(), behind so many of the tasks under way.
    std::optional<std::size_t> array_behind;
    bool space_wanted = false;
  };

  static constexpr std::uint64_t kLinger_ns = 2'000'000'000;

  // The lane to a consumer. invalid_value: there is none, or it is gone. again: the way there is
  // being made. shutdown, bad_state: the producer does not run. Others: ProducerPort::lane().
  Result<OutLane*> find_lane(ConsumerId consumer);
  Status refused(const OutLane& lane, Outcome outcome);
  Outcome put(OutLane& lane, ProducerTaskImpl& task);
  // kSent: the task is accepted, and completes later.
  Outcome put_task(OutLane& lane, ProducerTaskImpl& task);
  Traffic& traffic_of(std::uint32_t consumer);
  static void add_under_way(Traffic& traffic, ProducerTaskImpl& task);
  void complete_first(Traffic& traffic);
  bool queued(std::uint32_t consumer) const;

  bool poll_one(std::uint32_t consumer, Traffic& traffic);
  bool finish_sends(OutLane& lane, Traffic& traffic);
  bool send_waiting(OutLane& lane, Traffic& traffic);
  bool offer_space(std::uint32_t consumer, OutLane* lane, Traffic& traffic);
  bool over(std::uint32_t consumer, const Traffic& traffic) const;
  void fail_all(Traffic& traffic, const Error& error);
  void give_up(const Error& error);
  void update_attention();

  ConnectionImpl& connection_;
  const std::shared_ptr<transport::rdma::Hub> hub_;
  std::size_t staging_ = Producer::kDefaultStaging;
  std::map<std::uint32_t, Traffic> traffic_;
  bool in_poll_ = false;
  std::unique_ptr<transport::rdma::ProducerPort> port_;
  std::uint64_t nothing_posted_ = 0;
  ProducerCounters counters_;  // Of the last run.
};

// The Producer that an application holds.
class RdmaProducerObject final : public ProducerFace {
 public:
  RdmaProducerObject(ConnectionImpl& connection, std::shared_ptr<transport::rdma::Hub> hub)
      : ProducerFace(Kind::kRdma), impl(*this, connection, std::move(hub)) {}
  RdmaProducerImpl impl;
};

inline RdmaProducerImpl& RdmaProducerImpl::of(Producer& face) {
  return static_cast<RdmaProducerObject&>(face).impl;
}
inline const RdmaProducerImpl& RdmaProducerImpl::of(const Producer& face) {
  return static_cast<const RdmaProducerObject&>(face).impl;
}

}  // namespace comch
