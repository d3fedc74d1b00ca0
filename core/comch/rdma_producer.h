// RdmaProducerImpl: what stands behind a Producer whose consumers are on another machine: a
// PortProducer. A send is under way until the other machine has acknowledged it.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "comch/port_producer.h"
#include "comch/producer_face.h"
#include "comch/rdma_ports.h"

namespace comch {

extern template class PortProducer<RdmaPorts>;

class RdmaProducerImpl final : public PortProducer<RdmaPorts> {
 public:
  static constexpr ProducerFace::Kind kKind = ProducerFace::Kind::kRdma;

  RdmaProducerImpl(Producer& face, ConnectionImpl& connection, std::shared_ptr<Hub> hub)
      : PortProducer(face, connection, std::move(hub)) {}

  // Of one machine alone: not used.
  Status on_returned(const Producer::ReturnHandler& handler);

  // Tasks.
  Status submit(ProducerTaskImpl& task);
  bool try_submit(ProducerTaskImpl& task);

  // Arrays.
  Result<std::size_t> send(ConsumerId consumer, std::span<const Outgoing> messages);
  Status send_file(ConsumerId consumer, const ShownFile& file, std::uint64_t offset,
                   std::size_t length, Bytes immediate);
  Status request_space(ConsumerId consumer);

  // In place: in memory of this machine, which is then sent.
  Status commit(const Loan& loan, std::size_t length, Bytes immediate);
  using PortProducer::reserve;
  Result<std::size_t> reserve(ConsumerId consumer, std::span<Loan> loans);
  Result<std::size_t> commit(std::span<const FilledLoan> loans);
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

 protected:
  Result<bool> on_start() override;
  bool drained() const override;
  void give_up(const Error& error) override;
  ProducerCounters count() const override;

 private:
  Outcome put(Lane& lane, ProducerTaskImpl& task);
  // kSent: the task is accepted, and completes later.
  Outcome put_task(Lane& lane, ProducerTaskImpl& task);
  Traffic& traffic_of(std::uint32_t consumer);

  bool poll_one(std::uint32_t consumer, Traffic& traffic);
  bool offer_space(std::uint32_t consumer, Lane* lane, Traffic& traffic);
  bool over(std::uint32_t consumer, const Traffic& traffic) const;
};

}  // namespace comch
