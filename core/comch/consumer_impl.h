// ConsumerImpl: what stands behind a Consumer whose producers are on this machine: what a
// PortConsumer is, and messages that come in more ways, be it by their place alone.
// consumer_views.cc has those that are looked at where they lie.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "comch/consumer_face.h"
#include "comch/port_consumer.h"
#include "comch/shm_ports.h"

namespace comch {

extern template class PortConsumer<ShmPorts>;

class ConsumerImpl final : public PortConsumer<ShmPorts> {
 public:
  static constexpr ConsumerFace::Kind kKind = ConsumerFace::Kind::kConnection;

  ConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
               std::shared_ptr<Hub> hub)
      : PortConsumer(face, connection, map, std::move(hub)) {}

  DataWay way() const { return way_; }

  std::size_t poll(std::span<Received> out);
  std::size_t poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags);
  std::size_t poll_views(std::span<View> out);
  std::size_t poll_views(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags,
                         void* owner);
  Status release_views(std::size_t count);
  Status give_back(const HandedOver& message);
  Result<Held> hold(const HandedOver& message) const;

  bool poll() override;  // For the engine.

 protected:
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool drained() const override;

 private:
  // What a port hands messages to: one calls back, one fills what the caller has.
  struct ToTask;
  template <class Record, class ToldOfIt>
  struct ToMemory;

  // Of poll(): what it looks at from here on (Source::Notes).
  [[gnu::noinline]] bool found_nothing();
  Result<Port::Setup> choose_way();
  template <class Show>
  std::size_t poll_views(std::size_t most, Show show);
  // Messages are to be looked at, or to be released.
  bool has_views() const;

  DataWay way_ = DataWay::kAuto;
};

}  // namespace comch
