// PortConsumer: a consumer on top of a carrier's port: the life of its context, and what is
// posted, by tasks or by arrays. What arrives is taken by what stands on it: ConsumerImpl on one
// machine, RdmaConsumerImpl between two.
//
// The end comes in three steps, whatever begins it (stop(), a lost peer): the port is closed;
// what has arrived is handed out; what is still posted comes back. Then the context is idle as
// soon as every task is freed and every buffer taken back.
//
// It is a template and not an interface because of what a message costs: nothing virtual is
// called for one.
//
// Threads: the engine's. Lifetime: the application's, through the face.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comch/connection_impl.h"
#include "comch/consumer.h"
#include "comch/consumer_core.h"
#include "comch/memory_map_impl.h"
#include "engine/source.h"
#include "shm/posted_ring.h"
#include "transport/passage.h"
#include "transport/port_owner.h"
#include "transport/taken.h"

namespace comch {

template <class Ports>
class PortConsumer : public ConsumerCore,
                     public engine::Source,
                     public transport::ConsumerPortOwner {
 public:
  using Hub = typename Ports::Hub;
  using Port = typename Ports::Consumer;

  // Configuration; see Consumer.
  Status set_immediate_size(std::uint32_t bytes);
  Status set_way(DataWay way);
  Status set_descriptors_kept(bool kept);
  void set_polling(Polling polling) { polling_ = polling; }
  ConsumerId id() const { return ConsumerId{port_ ? port_->id() : 0}; }
  ConnectionImpl& connection() const { return connection_; }
  MsgQ* queue() const { return nullptr; }
  ConsumerCounters counters() const;
  std::size_t posted() const { return port_ ? port_->posted() + held_count_ : 0; }

  // Tasks.
  Result<ReceiveTask*> allocate(Buffer* buffer);
  Status submit(ReceiveTaskImpl& task);
  bool try_submit(ReceiveTaskImpl& task);
  Status set_buffer(ReceiveTaskImpl& task, Buffer* buffer);

  // Arrays.
  Result<std::size_t> post(std::span<Buffer* const> buffers);
  std::size_t take_back(std::span<Buffer*> out);

  // For the engine, whose poll() is the carrier's own.
  bool arm() override { return port_->arm(); }
  std::optional<WakeWord> ask_for_word() override {
    if constexpr (Ports::kHasWords) return port_->ask_for_word();
    return std::nullopt;
  }
  bool ready() override { return port_->ready(); }
  void disarm() override { port_->disarm(); }
  void relax() override { port_->relax(); }
  bool is_read() const override { return !in_tasks(); }
  bool arms_always() const override { return Ports::kArmsAlways; }
  engine::Source* source() override { return this; }

  // For the port.
  void on_accepted() override { ContextCore::ready(); }
  void on_wake() override;
  void on_lost(const Error& error) override;

 protected:
  static constexpr std::size_t kBudget = 64;  // Messages of one progress().

  PortConsumer(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
               std::shared_ptr<Hub> hub);
  ~PortConsumer() override;

  Status check_configuration() override;
  void on_stop(bool deliver) override;
  bool on_work() override;
  bool drained() const override;
  void on_idle() override;
  void on_cut_off() override;

  // The end of on_start(): a run that knows nothing of the last one.
  Result<bool> open(const typename Port::Setup& setup);

  void count(transport::Passage passage, std::uint64_t bytes, std::uint64_t messages = 1) {
    messages_[static_cast<std::size_t>(passage)] += messages;
    bytes_ += bytes;
  }
  // What stands for a message that has come in the posted buffer `arrival.index`. Members are
  // written one by one: a copy of a whole would have to wait for its parts.
  template <class Arrival>
  ReceiveTaskImpl& fill_task(const Arrival& arrival);
  // What an Incoming says of what poll() was told, and a Received.
  struct Told {
    std::uint64_t user_data;
    std::uint32_t flags;
  };
  struct Untold {};
  // All of it but the length, which is not known yet; and the length. fill() is both.
  template <class Arrival>
  void begin_filling(Received& received, const Arrival& arrival, Untold);
  void end_filling(Received& received, std::uint64_t length);
  template <class Arrival>
  void begin_filling(Incoming& record, const Arrival& arrival, const Told& told);
  void end_filling(Incoming& record, std::uint64_t length);
  template <class Record, class Arrival, class ToldOfIt>
  Record& fill(Record& record, const Arrival& arrival, const ToldOfIt& told);

  // Hands what has come to `sink`, one progress() worth.
  template <class Sink>
  bool poll_tasks(Sink sink);
  // Has `sink` fill at most `most` of the caller's, and answers how many it has.
  template <class Sink>
  std::size_t poll_array(std::size_t most, Sink sink);
  // Whether messages that the application is to ask for are something to do,
  bool is_heeded() const;
  // and it has asked.
  void end_poll(bool nothing_left);

  MemoryMapImpl& map_;
  DataWay wanted_way_ = DataWay::kAuto;
  bool descriptors_kept_ = false;  // Of maps that are shown, if any are.
  Polling polling_ = Polling::kAlone;
  std::unique_ptr<Port> port_;
  std::optional<Error> ending_;  // Why what is posted comes back.
  bool polled_out_ = false;      // Since then poll() has found nothing.

 private:
  // Lent, of our map; and not posted. A null pointer is both.
  bool is_ours(const Buffer* buffer) const;
  bool may_post(const Buffer* buffer) const;
  Status check_buffer(const Buffer* buffer) const;
  void post(ReceiveTaskImpl& task);
  // Apart, so that a submission by a callback finds few registers to save, and a loop all of them.
  [[gnu::noinline]] void post_now(const ReceiveTaskImpl& task);
  [[gnu::noinline]] void post_held();
  struct Room {
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  // Of arrays: one; and those that `buffers` begins with, as far as they have room for `bytes` and
  // the port posts them alike. Answers their room, and how many.
  std::uint64_t post_one(Buffer* face);
  std::size_t post_alike(std::span<Buffer* const> buffers, std::uint64_t bytes);
  Room room_of(const BufferImpl* buffer) const;
  bool bring_back();

  ConnectionImpl& connection_;     // For who asks for it alone: it may be gone before this is.
  const bool hears_of_consumers_;  // Its context, which says so while idle alone.
  const std::shared_ptr<Hub> hub_;
  // Posted by callbacks of one poll(), and not by the port yet.
  std::array<ReceiveTaskImpl*, comch::shm::kPostedTogether> held_;
  std::uint32_t held_count_ = 0;
  std::uint32_t held_most_ = 0;
  std::vector<BufferImpl*> posts_;   // In arrays, by the port's name; null: posted without one.
  std::vector<Buffer*> back_posts_;  // For take_back().
  std::array<std::uint64_t, transport::kPassages> messages_{};  // By how they came.
  std::uint64_t bytes_ = 0;
  std::uint64_t wakes_received_ = 0;  // Of a port that is no more.
};

template <class Ports>
inline bool PortConsumer<Ports>::is_ours(const Buffer* face) const {
  if (face == nullptr) return true;
  const BufferImpl& buffer = BufferImpl::of(*face);
  return buffer.references() != 0 && &buffer.map() == &map_;
}

template <class Ports>
inline bool PortConsumer<Ports>::may_post(const Buffer* face) const {
  return is_ours(face) && (face == nullptr || !BufferImpl::of(*face).posted());
}

template <class Ports>
inline auto PortConsumer<Ports>::room_of(const BufferImpl* buffer) const -> Room {
  const std::uint64_t room = buffer == nullptr ? 0 : buffer->tail_room();
  if (room == 0) [[unlikely]]
    return {.offset = comch::shm::kNoBuffer, .bytes = 0};
  return {.offset = static_cast<std::uint64_t>(buffer->tail() - map_.bytes().data()),
          .bytes = room};
}

template <class Ports>
inline bool PortConsumer<Ports>::try_submit(ReceiveTaskImpl& task) {
  const bool may = task.state == TaskState::kAllocated && may_post(task.buffer) && !ending_ &&
                   state() == ContextState::kRunning;
  if (!may) [[unlikely]]
    return false;
  post(task);
  return true;
}

template <class Ports>
inline void PortConsumer<Ports>::post(ReceiveTaskImpl& task) {
  set_submitted(task);
  if (task.buffer != nullptr) task.buffer->begin_posting();
  if (!in_poll_) return post_now(task);
  held_[held_count_++] = &task;
  if (held_count_ == held_most_) post_held();
}

template <class Ports>
template <class Arrival>
[[gnu::always_inline]] inline ReceiveTaskImpl& PortConsumer<Ports>::fill_task(
    const Arrival& arrival) {
  ReceiveTaskImpl& task = tasks_.all()[arrival.index];
  task_completed();
  if (task.buffer != nullptr) task.buffer->end_posting(arrival.length);
  task.state = TaskState::kAllocated;
  task.producer = ProducerId{arrival.producer};
  task.length = arrival.length;
  return task;
}

template <class Ports>
template <class Arrival>
[[gnu::always_inline]] inline void PortConsumer<Ports>::begin_filling(Received& received,
                                                                      const Arrival& arrival,
                                                                      Untold) {
  received.buffer = posts_[arrival.index];
  received.immediate = {};
  received.handed_over = {};
  received.producer = ProducerId{arrival.producer};
}

template <class Ports>
[[gnu::always_inline]] inline void PortConsumer<Ports>::end_filling(Received& received,
                                                                    std::uint64_t length) {
  if (received.buffer != nullptr) BufferImpl::of(*received.buffer).end_posting(length);
  received.length = length;
}

template <class Ports>
template <class Arrival>
[[gnu::always_inline]] inline void PortConsumer<Ports>::begin_filling(Incoming& record,
                                                                      const Arrival& arrival,
                                                                      const Told& told) {
  BufferImpl* const buffer = posts_[arrival.index];
  record.user_data = told.user_data;
  record.flags = told.flags;
  record.producer = ProducerId{arrival.producer};
  record.buffer = buffer;
  record.bytes = buffer == nullptr ? nullptr : buffer->tail();
  record.immediate_data = nullptr;
  record.immediate_size = 0;
  record.handle = 0;
}

template <class Ports>
[[gnu::always_inline]] inline void PortConsumer<Ports>::end_filling(Incoming& record,
                                                                    std::uint64_t length) {
  if (record.buffer != nullptr) BufferImpl::of(*record.buffer).end_posting(length);
  record.res = static_cast<std::int64_t>(length);
  record.size = length;
}

template <class Ports>
template <class Record, class Arrival, class ToldOfIt>
[[gnu::always_inline]] inline Record& PortConsumer<Ports>::fill(Record& record,
                                                                const Arrival& arrival,
                                                                const ToldOfIt& told) {
  begin_filling(record, arrival, told);
  end_filling(record, arrival.length);
  return record;
}

template <class Ports>
template <class Sink>
[[gnu::always_inline]] inline bool PortConsumer<Ports>::poll_tasks(Sink sink) {
  if (!in_tasks()) [[unlikely]]
    return port_->ready() && is_heeded();
  in_poll_ = true;
  const bool did = port_->poll(kBudget, sink).any;
  in_poll_ = false;
  if (held_count_ != 0) post_held();
  return did;
}

template <class Ports>
template <class Sink>
[[gnu::always_inline]] inline std::size_t PortConsumer<Ports>::poll_array(std::size_t most,
                                                                          Sink sink) {
  if (!port_ || !in_arrays() || most == 0) return 0;
  const transport::Taken taken = port_->poll_twice(most, polling_ == Polling::kAlone, sink);
  tasks_completed(taken.messages);
  end_poll(!taken.any);
  return taken.messages;
}

template <class Ports>
inline void PortConsumer<Ports>::end_poll(bool nothing_left) {
  if (!ending_) [[likely]]
    return;
  polled_out_ = nothing_left;
  request_work();
}

}  // namespace comch
