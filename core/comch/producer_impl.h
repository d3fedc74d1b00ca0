// ProducerImpl: what stands behind a Producer whose consumers are on this machine: what a
// PortProducer is, and hand-overs.
//
// Most sends are complete when they are submitted: then nothing is remembered but the callback.
// Those that are gathered wait in a Gathering, and whatever comes behind them sends them first.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "comch/gathering.h"
#include "comch/port_producer.h"
#include "comch/producer_face.h"
#include "comch/shm_ports.h"

namespace comch {

extern template class PortProducer<ShmPorts>;

class ProducerImpl final : public PortProducer<ShmPorts> {
 public:
  static constexpr ProducerFace::Kind kKind = ProducerFace::Kind::kConnection;

  ProducerImpl(Producer& face, ConnectionImpl& connection, std::shared_ptr<Hub> hub)
      : PortProducer(face, connection, std::move(hub)) {}

  Status on_returned(Producer::ReturnHandler handler);

  // Tasks. Submits the usual one: of data alone, small, and nothing before it is under way. False:
  // nothing was done.
  [[gnu::always_inline]] bool submit_usual(ProducerTaskImpl& task);
  // Holds such a one back until flush(). False: nothing was done.
  [[gnu::always_inline]] bool gather(ProducerTaskImpl& task);
  // Any other.
  Status submit(ProducerTaskImpl& task);
  bool try_submit(ProducerTaskImpl& task);

  // Arrays. The usual message of its own, of data alone; false: nothing was done.
  [[gnu::always_inline]] bool send_usual(ConsumerId consumer, Bytes data) {
    Lane* const lane = usual_lane(consumer);
    if (lane == nullptr) return false;
    if (!lane->send_prepared(data)) [[unlikely]]
      return send_one(*lane, data);
    note_sent(*lane);
    return true;
  }
  // The same of some; answers how many are sent.
  std::size_t send_usual(ConsumerId consumer, const OutgoingRecords& messages);
  [[gnu::always_inline]] Result<std::size_t> send(ConsumerId consumer,
                                                  std::span<const Outgoing> messages);
  Status send_file(ConsumerId consumer, const ShownFile& file, std::uint64_t offset,
                   std::size_t length, Bytes immediate);
  Status request_space(ConsumerId consumer);
  bool has_space(ConsumerId consumer);

  // In place, and by its place.
  Result<Loan> reserve(ConsumerId consumer);
  Status commit(const Loan& loan, std::size_t length, Bytes immediate);
  Result<std::size_t> reserve(ConsumerId consumer, std::span<Loan> loans);
  Result<std::size_t> commit(std::span<const FilledLoan> loans);
  Result<PeerMemory> memory(ConsumerId consumer);
  Status hand_over(ConsumerId consumer, Buffer& buffer, Bytes immediate);
  std::size_t handed_over() const { return handed_over_; }

  // For the engine.
  void flush() override {
    if (!gathering_.empty()) send_gathered();
  }
  bool poll() override;
  bool arm() override;
  bool ready() override;
  void disarm() override;
  void relax() override;

 protected:
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool on_work() override;
  bool drained() const override;
  void on_cut_off() override;
  void give_up(const Error& error) override;
  ProducerCounters count() const override;

 private:
  // The lane to a consumer when nothing is unusual: it was the last one used, and no message waits
  // for anything or is held back. Else null. Who runs has a port.
  Lane* usual_lane(ConsumerId consumer) const {
    if (state() != ContextState::kRunning || !traffic_.empty() || !gathering_.empty())
      return nullptr;
    return port_->last_lane(static_cast<std::uint32_t>(consumer));
  }
  // PortProducer::find_lane(), of a lane that all that was held back is in.
  [[gnu::always_inline]] Status find_lane(ConsumerId consumer, Lane*& lane) {
    Lane* const usual = usual_lane(consumer);
    if (usual == nullptr || usual->gone()) [[unlikely]]
      return find_other_lane(consumer, lane);
    lane = usual;
    return {};
  }
  Status find_other_lane(ConsumerId consumer, Lane*& lane);
  // Behind a message that went as prepared.
  [[gnu::always_inline]] void note_sent(Lane& lane) {
    port_->note_sent(lane);
    if (lane.wants_attention()) [[unlikely]]
      lane.attend();
  }
  // What the lane has not prepared.
  [[gnu::noinline]] bool send_one(Lane& lane, Bytes data);
  [[gnu::noinline]] bool submit_one(Lane& lane, ProducerTaskImpl& task);
  static bool is_plain(const ProducerTaskImpl& task) {
    return task.state == TaskState::kAllocated && task.immediate_size == 0;
  }
  // Into the lane, for the next publish() there.
  [[gnu::noinline]] bool put_more(ProducerTaskImpl& task);
  // Of plain tasks of which the first is `task`, which is not added yet.
  [[gnu::noinline]] bool begin_gathering(const ProducerTaskImpl& task);
  [[gnu::noinline]] void send_gathered();
  void send_late(Lane* lane, ProducerTaskImpl& task);
  // Whatever the lane has in hand others may use from here on.
  void return_ahead(Lane& lane) {
    if (lane.return_ahead()) port_->ring_siblings();
  }
  // The lane to a consumer whose memory is mapped.
  Status find_lender(ConsumerId consumer, Lane*& lane);
  // Apart from what refuses ahead of it, so that the loan is made where the caller has it.
  Result<Loan> lend_from(Lane& lane, ConsumerId consumer);
  // Into the lane, which is not published.
  [[gnu::always_inline]] Status put_filled(Lane& lane, const Loan& loan, std::size_t length,
                                           Bytes immediate);
  std::optional<transport::shm::SharedMemory> source_of(const BufferImpl* buffer) const;
  Outcome put(Lane& lane, ProducerTaskImpl& task);
  // kSent: the task is in the lane or waits for it, and completes now or later.
  Outcome put_any(Lane& lane, ProducerTaskImpl& task);
  void let_wait(ProducerTaskImpl& task);
  // Apart, so that a message by itself finds few registers to save: each is one more store between
  // two messages, and there is room for so many while the lane's lines are on their way.
  [[gnu::noinline]] Result<std::size_t> send_array(ConsumerId consumer,
                                                   std::span<const Outgoing> messages);

  bool poll_one(std::uint32_t consumer, Traffic& traffic);
  bool take_returned(std::uint32_t consumer, Traffic& traffic);
  // What has come back, and the others: `error` says why those do not, or are not waited for.
  void return_all(std::uint32_t consumer, Traffic& traffic, const Error& error);
  void return_unawaited();
  // A loan's room stays writable.
  void drop_unless_it_lends(std::uint32_t consumer);

  Producer::ReturnHandler on_returned_;
  std::size_t handed_over_ = 0;
  bool waits_for_returns_ = true;  // Until abort(), or the loss of the peer.
  Gathering gathering_;
};

inline bool ProducerImpl::submit_usual(ProducerTaskImpl& task) {
  if (!is_plain(task)) return false;
  Lane* const lane = usual_lane(ConsumerId{task.consumer});
  if (lane == nullptr) return false;
  if (!lane->send_prepared(task.data())) [[unlikely]]
    return submit_one(*lane, task);
  accept(task);
  complete(task, std::nullopt);
  note_sent(*lane);
  return true;
}

inline bool ProducerImpl::gather(ProducerTaskImpl& task) {
  if (!is_plain(task)) return false;
  // Long ones are copied at once, without a look at what is posted for a row.
  if (task.data().size() - 1 >= Lane::kInSlot) return put_more(task);
  if (gathering_.empty() ? !begin_gathering(task) : !gathering_.takes(task)) return false;
  accept(task);
  if (gathering_.add(task)) send_gathered();
  return true;
}

inline Result<std::size_t> ProducerImpl::send(ConsumerId consumer,
                                              std::span<const Outgoing> messages) {
  const bool is_plain = messages.size() == 1 && messages[0].immediate.empty();
  if (is_plain && send_usual(consumer, messages[0].data)) return 1;
  return send_array(consumer, messages);
}

}  // namespace comch
