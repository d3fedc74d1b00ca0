// RdmaConsumerImpl: what stands behind a Consumer whose producers are on another machine: a
// PortConsumer. What one machine alone can do is answered not_supported: messages that stay where
// they are, ways of copying.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "comch/consumer_face.h"
#include "comch/port_consumer.h"
#include "comch/rdma_ports.h"

namespace comch {

extern template class PortConsumer<RdmaPorts>;

class RdmaConsumerImpl final : public PortConsumer<RdmaPorts> {
 public:
  static constexpr ConsumerFace::Kind kKind = ConsumerFace::Kind::kRdma;

  RdmaConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                   std::shared_ptr<Hub> hub)
      : PortConsumer(face, connection, map, std::move(hub)) {}

  DataWay way() const { return idle() ? wanted_way_ : DataWay::kMapped; }

  std::size_t poll(std::span<Received> out);
  std::size_t poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags);
  Status give_back(const HandedOver& message);

  bool poll() override;  // For the engine.

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;

 private:
  // What a port hands messages to: one calls back, one fills an array.
  struct ToTask;
  struct ToArray;
  struct ToRecords;
};

}  // namespace comch
