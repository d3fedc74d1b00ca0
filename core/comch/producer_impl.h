// ProducerImpl: what stands behind a Producer: tasks, arrays, loans and hand-overs on top of a
// port, which has a lane to each consumer, inside the life of a context.
//
// Most sends are complete when they are submitted: then nothing is remembered but the callback.
// Only where something is under way, or is waited for, a consumer has a Traffic here, and the
// engine polls.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/intrusive_list.h"
#include "comch/connection_impl.h"
#include "comch/memory_map_impl.h"
#include "comch/producer.h"
#include "comch/producer_core.h"
#include "comch/producer_face.h"
#include "engine/source.h"
#include "transport/shm/producer_port.h"

namespace comch {

class ProducerImpl final : public ProducerCore,
                           public engine::Source,
                           public transport::Alarm,
                           public transport::shm::ProducerPortOwner {
 public:
  ProducerImpl(Producer& face, ConnectionImpl& connection,
               std::shared_ptr<transport::shm::Hub> hub);
  ~ProducerImpl() override;

  static ProducerImpl& of(Producer& face);
  static const ProducerImpl& of(const Producer& face);

  // Configuration; see Producer.
  Status on_returned(Producer::ReturnHandler handler);
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

  // In place, and by its place.
  Result<Loan> reserve(ConsumerId consumer);
  Status commit(const Loan& loan, std::size_t length, Bytes immediate);
  Status abandon(const Loan& loan);
  Result<PeerMemory> memory(ConsumerId consumer);
  Status hand_over(ConsumerId consumer, Buffer& buffer, Bytes immediate);
  std::size_t handed_over() const { return handed_over_; }

  // For the engine.
  bool poll() override;
  bool arm() override;
  bool ready() override;
  void disarm() override;
  void relax() override;

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
  using OutLane = transport::shm::OutLane;
  using Outcome = transport::shm::Outcome;
  // What is not over with one consumer.
  struct Traffic {
    IntrusiveList<ProducerTaskImpl> under_way;  // Accepted by the lane, in order.
    IntrusiveList<ProducerTaskImpl> waiting;    // Behind a long message.
    bool array_under_way = false;               // One message of send(), ahead of all tasks.
    bool space_wanted = false;
    std::unordered_map<std::uint32_t, Buffer*> handed;  // By handle.
    bool over() const {
      return under_way.empty() && waiting.empty() && !array_under_way && !space_wanted &&
             handed.empty();
    }
  };

  static constexpr std::uint64_t kLinger_ns = 2'000'000'000;

  // The lane to a consumer when nothing is unusual: it was the last one used, and no message waits
  // for anything. Else null.
  OutLane* usual_lane(ConsumerId consumer) const {
    if (!port_ || !traffic_.empty() || state() != ContextState::kRunning) return nullptr;
    return port_->last_lane(static_cast<std::uint32_t>(consumer));
  }
  // The lane to a consumer. invalid_value: there is none, or it is gone. shutdown, bad_state: the
  // producer does not run. Others: ProducerPort::lane().
  Status find_lane(ConsumerId consumer, OutLane*& lane);
  std::optional<transport::shm::SharedMemory> source_of(const BufferImpl* buffer) const;
  Status refused(OutLane& lane, Outcome outcome);
  Outcome put(OutLane& lane, ProducerTaskImpl& task);
  // The usual message: small, and nothing before it is under way. False: nothing was done.
  bool put_usual(ProducerTaskImpl& task);
  // Any message. kSent: the task is accepted, and completes now or later.
  Outcome put_other(OutLane& lane, ProducerTaskImpl& task);
  [[gnu::noinline]] Status submit_other(ProducerTaskImpl& task);
  [[gnu::noinline]] bool try_other(ProducerTaskImpl& task);
  Traffic& traffic_of(std::uint32_t consumer) { return traffic_[consumer]; }
  // Tasks wait for a long message to end: whatever comes now comes behind them.
  bool queued(std::uint32_t consumer) const {
    if (traffic_.empty()) [[likely]]
      return false;
    const auto it = traffic_.find(consumer);
    return it != traffic_.end() && !it->second.waiting.empty();
  }

  bool poll_one(std::uint32_t consumer, Traffic& traffic);
  bool finish_sends(OutLane& lane, Traffic& traffic);
  bool send_waiting(OutLane& lane, Traffic& traffic);
  bool take_returned(OutLane& lane, Traffic& traffic);
  void fail_all(Traffic& traffic, const Error& error);
  void return_all(Traffic& traffic);
  void give_up(const Error& error);
  void update_attention();

  ConnectionImpl& connection_;
  const std::shared_ptr<transport::shm::Hub> hub_;
  Producer::ReturnHandler on_returned_;
  std::size_t cooperative_ = Producer::kDefaultCooperative;
  std::size_t staging_ = Producer::kDefaultStaging;
  std::uint32_t lane_size_ = 0;
  std::map<std::uint32_t, Traffic> traffic_;
  bool in_poll_ = false;
  std::unique_ptr<transport::shm::ProducerPort> port_;
  std::size_t handed_over_ = 0;
  std::uint64_t nothing_posted_ = 0;
  ProducerCounters counters_;  // Of the last run.
};

// The Producer that an application holds.
class ProducerObject final : public ProducerFace {
 public:
  ProducerObject(ConnectionImpl& connection, std::shared_ptr<transport::shm::Hub> hub)
      : ProducerFace(Kind::kConnection), impl(*this, connection, std::move(hub)) {}
  ProducerImpl impl;
};

inline ProducerImpl& ProducerImpl::of(Producer& face) {
  return static_cast<ProducerObject&>(face).impl;
}
inline const ProducerImpl& ProducerImpl::of(const Producer& face) {
  return static_cast<const ProducerObject&>(face).impl;
}

}  // namespace comch
