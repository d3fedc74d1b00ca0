// QueueConsumerImpl: what stands behind a Consumer of a MsgQ: tasks or arrays on top of a
// ReceiveEnd, inside the life of a context. consumer_impl.h is the same for a connection; this
// one knows no buffers, starts at once, and cannot lose its peer.
//
// The end comes in three steps: the end is closed; what has arrived is handed out; what is still
// posted comes back. Then the context is idle as soon as every task is freed.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/consumer.h"
#include "comch/consumer_core.h"
#include "comch/consumer_face.h"
#include "comch/msgq.h"
#include "engine/source.h"
#include "msgq/receive_end.h"
#include "transport/reactor.h"

namespace comch {

class QueueConsumerImpl final : public ConsumerCore,
                                public engine::Source,
                                public transport::Readiness {
 public:
  static constexpr ConsumerFace::Kind kKind = ConsumerFace::Kind::kQueue;

  QueueConsumerImpl(Consumer& face, MsgQ& queue, std::unique_ptr<msgq::ReceiveEnd> end)
      : ConsumerCore(face, MsgQ::kMaxImmediate), queue_(queue), end_(std::move(end)) {}
  ~QueueConsumerImpl() override;

  // Configuration; see Consumer.
  Status set_immediate_size(std::uint32_t bytes);
  Status set_way(DataWay way);
  Status set_descriptors_kept(bool kept);
  void set_polling(Polling /*polling*/) {}  // It always looks at once.
  DataWay way() const { return DataWay::kAuto; }
  ConsumerId id() const { return idle() ? ConsumerId{} : end_->id(); }
  MsgQ* queue() const { return &queue_; }
  ConsumerCounters counters() const { return counters_; }
  std::size_t posted() const { return end_->posted(); }

  // Tasks.
  Result<ReceiveTask*> allocate(Buffer* buffer);
  Status submit(ReceiveTaskImpl& task);
  Status set_buffer(ReceiveTaskImpl& task, Buffer* buffer);

  // Arrays.
  Result<std::size_t> post(std::span<Buffer* const> buffers);
  std::size_t poll(std::span<Received> out);
  std::size_t poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags);
  std::size_t take_back(std::span<Buffer*> out);
  Status give_back(const HandedOver& message);

  // For the engine.
  bool poll() override;
  bool arm() override { return end_->arm(); }
  bool ready() override { return end_->ready(); }
  void disarm() override { end_->disarm(); }
  void relax() override { end_->relax(); }
  bool is_read() const override { return !in_tasks(); }
  engine::Source* source() override { return this; }
  void on_readable() override;

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  bool on_work() override;
  bool drained() const override;
  void on_idle() override;
  void on_cut_off() override;

 private:
  static constexpr std::size_t kBudget = 64;  // Messages of one progress().

  void leave_engine();
  void put_up(ReceiveTaskImpl& task);
  ReceiveTaskImpl& arrived(const msgq::Delivery& delivery);
  // Has `put` write the n-th of the caller's, of at most `most`, and answers how many it has.
  template <class Put>
  std::size_t poll_array(std::size_t most, Put put);
  void hand_out(const msgq::Delivery& delivery);
  bool bring_back();

  MsgQ& queue_;
  const std::unique_ptr<msgq::ReceiveEnd> end_;
  bool ending_ = false;                        // What is posted comes back.
  IntrusiveList<ReceiveTaskImpl> back_array_;  // For take_back().
  ConsumerCounters counters_;
};

}  // namespace comch
