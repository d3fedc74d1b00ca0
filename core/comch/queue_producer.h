// QueueProducerImpl: what stands behind a Producer of a MsgQ: tasks and arrays on top of a
// SendEnd, inside the life of a context. producer_impl.h is the same for a connection; here every
// send is complete when it is submitted, so that the engine looks at this only while a consumer's
// space is waited for.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comch/msgq.h"
#include "comch/producer.h"
#include "comch/producer_core.h"
#include "comch/producer_face.h"
#include "comch/producer_task.h"
#include "engine/source.h"
#include "msgq/send_end.h"
#include "transport/reactor.h"

namespace comch {

class QueueProducerImpl final : public ProducerCore,
                                public engine::Source,
                                public transport::Readiness {
 public:
  static constexpr ProducerFace::Kind kKind = ProducerFace::Kind::kQueue;

  QueueProducerImpl(Producer& face, MsgQ& queue, std::unique_ptr<msgq::SendEnd> end)
      : ProducerCore(face), queue_(queue), end_(std::move(end)) {}
  ~QueueProducerImpl() override;

  // Configuration; see Producer.
  Status on_returned(const Producer::ReturnHandler& handler);
  Status set_cooperative_size(std::size_t bytes);
  Status set_staging_size(std::size_t bytes);
  Status set_lane_size(std::uint32_t messages);
  ProducerId id() const { return end_->id(); }
  MsgQ* queue() const { return &queue_; }
  ProducerCounters counters() const { return counters_; }

  // Tasks.
  Result<ProducerTask*> allocate(const Buffer* buffer, Bytes immediate, ConsumerId consumer);
  Status submit(ProducerTaskImpl& task);

  // Arrays.
  Result<std::size_t> send(ConsumerId consumer, std::span<const Outgoing> messages);
  Status send_file(ConsumerId consumer, const ShownFile& file, std::uint64_t offset,
                   std::size_t length, Bytes immediate);
  bool busy(ConsumerId) const { return false; }
  Status ending(ConsumerId) const { return {}; }
  bool reaches(ConsumerId consumer) const { return require_running() && end_->knows(consumer); }
  Status request_space(ConsumerId consumer);
  bool has_space(ConsumerId consumer);

  // In place, and by its place: not here.
  Result<Loan> reserve(ConsumerId consumer);
  Status commit(const Loan& loan, std::size_t length, Bytes immediate);
  Result<std::size_t> reserve(ConsumerId consumer, std::span<Loan> loans);
  Result<std::size_t> commit(std::span<const FilledLoan> loans);
  Status abandon(const Loan& loan);
  Result<PeerMemory> memory(ConsumerId consumer);
  Status hand_over(ConsumerId consumer, Buffer& buffer, Bytes immediate);
  std::size_t handed_over() const { return 0; }

  // For the engine.
  bool poll() override;
  bool arm() override { return end_->arm(); }
  bool ready() override;
  void disarm() override { end_->disarm(); }
  void relax() override { end_->relax(); }
  void on_readable() override;

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool drained() const override { return tasks_.in_use() == 0 && completions_.empty(); }
  void on_idle() override;
  void on_cut_off() override;

 private:
  void leave_engine();
  Status put(ConsumerId consumer, Bytes immediate);
  bool may_send_to(ConsumerId consumer);

  MsgQ& queue_;
  const std::unique_ptr<msgq::SendEnd> end_;
  std::vector<ConsumerId> wanted_;  // Consumers whose space is waited for, once each.
  ProducerCounters counters_;
};

}  // namespace comch
