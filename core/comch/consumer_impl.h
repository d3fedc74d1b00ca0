// ConsumerImpl: what stands behind a Consumer: tasks or arrays on top of a port, which knows the
// other side, inside the life of a context. consumer_views.cc has the messages that need neither.
//
// The end comes in three steps, whatever begins it (stop(), a lost peer): the port is closed;
// what has arrived is handed out; what is still posted comes back. Then the context is idle as
// soon as every task is freed and every buffer taken back.
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
#include "transport/shm/consumer_port.h"

namespace comch {

class ConsumerImpl final : public ConsumerCore,
                           public engine::Source,
                           public transport::shm::ConsumerPortOwner {
 public:
  ConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
               std::shared_ptr<transport::shm::Hub> hub);
  ~ConsumerImpl() override;

  static ConsumerImpl& of(Consumer& face);
  static const ConsumerImpl& of(const Consumer& face);

  // Configuration; see Consumer.
  Status set_immediate_size(std::uint32_t bytes);
  Status set_way(DataWay way);
  DataWay way() const { return way_; }
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
  std::size_t poll_views(std::span<View> out);
  Status release_views(std::size_t count);
  Status give_back(const HandedOver& message);

  // For the engine.
  bool poll() override;
  bool arm() override { return port_->arm(); }
  bool ready() override { return port_->ready(); }
  void disarm() override { port_->disarm(); }
  void relax() override { port_->relax(); }

  // For the port.
  void on_accepted() override { ready_to_run(); }
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
  using Arrival = transport::shm::Arrival;
  static constexpr std::size_t kBudget = 64;  // Messages of one progress().

  bool views() const { return way_ == DataWay::kView; }
  // Messages are to be looked at, or to be released.
  bool has_views() const;
  Status require_no_views() const;
  bool may_post(const Buffer* buffer) const;
  Status check_buffer(const Buffer* buffer) const;
  Result<transport::shm::ConsumerPort::Setup> choose_way();
  void ready_to_run() { ContextCore::ready(); }
  void post(ReceiveTaskImpl& task);
  template <class Posting>
  void put_up(Posting& posting, std::uint16_t index, const BufferImpl* buffer);
  void count(transport::shm::Passage passage, std::uint64_t bytes) {
    ++messages_[static_cast<std::size_t>(passage)];
    bytes_ += bytes;
  }
  // What a port hands messages to: one calls back, one fills an array.
  struct ToTask;
  struct ToArray;
  bool bring_back();

  ConnectionImpl& connection_;
  MemoryMapImpl& map_;
  const std::shared_ptr<transport::shm::Hub> hub_;
  DataWay wanted_way_ = DataWay::kAuto;
  DataWay way_ = DataWay::kAuto;
  std::unique_ptr<transport::shm::ConsumerPort> port_;
  std::optional<Error> ending_;  // Why what is posted comes back.
  bool polled_out_ = false;      // Since then poll() has found nothing.
  ArrayPosts posts_;
  std::vector<Buffer*> back_posts_;                                  // For take_back().
  std::array<std::uint64_t, transport::shm::kPassages> messages_{};  // By how they came.
  std::uint64_t bytes_ = 0;
  std::uint64_t wakes_received_ = 0;  // Of a port that is no more.
};

// The Consumer that an application holds.
class ConsumerObject final : public ConsumerFace {
 public:
  ConsumerObject(ConnectionImpl& connection, MemoryMapImpl& map,
                 std::shared_ptr<transport::shm::Hub> hub)
      : ConsumerFace(Kind::kConnection), impl(*this, connection, map, std::move(hub)) {}
  ConsumerImpl impl;
};

inline ConsumerImpl& ConsumerImpl::of(Consumer& face) {
  return static_cast<ConsumerObject&>(face).impl;
}
inline const ConsumerImpl& ConsumerImpl::of(const Consumer& face) {
  return static_cast<const ConsumerObject&>(face).impl;
}

}  // namespace comch
