// PortConsumer: see port_consumer.h. Made here for each carrier.
#include "comch/port_consumer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "comch/consumer_impl.h"
#include "comch/endpoint.h"
#include "comch/rdma_consumer.h"
#include "comch/rdma_ports.h"
#include "comch/shm_ports.h"
#include "engine/engine.h"

namespace comch {

using transport::Passage;

template <class Ports>
PortConsumer<Ports>::PortConsumer(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                                  std::shared_ptr<Hub> hub)
    : ConsumerCore(face, Consumer::kDefaultImmediate),
      map_(map),
      connection_(connection),
      hears_of_consumers_(connection.endpoint().hears_of_consumers()),
      hub_(std::move(hub)) {}

template <class Ports>
PortConsumer<Ports>::~PortConsumer() {
  if (port_ && engine() != nullptr) engine()->remove(*this);
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

template <class Ports>
Status PortConsumer<Ports>::set_immediate_size(std::uint32_t bytes) {
  return store_immediate_size(bytes, Consumer::kMaxImmediate,
                              "immediate data has at most 256 bytes");
}

template <class Ports>
Status PortConsumer<Ports>::set_way(DataWay way) {
  const Status s = require_idle();
  if (s) wanted_way_ = way;
  return s;
}

template <class Ports>
Status PortConsumer<Ports>::set_descriptors_kept(bool kept) {
  const Status s = require_idle();
  if (s) descriptors_kept_ = kept;
  return s;
}

template <class Ports>
Status PortConsumer<Ports>::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!hears_of_consumers_) {
    return fail(Errc::bad_state, "the server or client needs its consumer callbacks first");
  }
  if (!map_.started()) return fail(Errc::bad_state, "the memory map is not started");
  return {};
}

template <class Ports>
ConsumerCounters PortConsumer<Ports>::counters() const {
  const auto of = [this](Passage passage) { return messages_[static_cast<std::size_t>(passage)]; };
  return {
      .received_messages = std::accumulate(messages_.begin(), messages_.end(), std::uint64_t{0}),
      .received_bytes = bytes_,
      .inline_messages = of(Passage::kNone) + of(Passage::kInline),
      .direct_messages = of(Passage::kDirect),
      .staged_messages = of(Passage::kStaged),
      .cooperative_messages = of(Passage::kCooperative),
      .handed_over_messages = of(Passage::kHandOver),
      .wakes_received = port_ ? port_->wakes_received() : wakes_received_};
}

// --- Life --------------------------------------------------------------------------------

template <class Ports>
Result<bool> PortConsumer<Ports>::open(const typename Port::Setup& setup) {
  messages_ = {};
  bytes_ = 0;
  forget_use();
  held_most_ = std::clamp(tasks() / 4, 1U, comch::shm::kPostedTogether);
  ending_.reset();
  polled_out_ = false;
  Result<std::unique_ptr<Port>> port = Port::open(*engine(), hub_, setup, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  engine()->make_hot(*this);
  return false;
}

template <class Ports>
void PortConsumer<Ports>::on_stop(bool) {
  if (!ending_) ending_ = Error{Errc::shutdown, 0, "the consumer is stopping"};
  port_->close();
  request_work();
}

template <class Ports>
void PortConsumer<Ports>::on_lost(const Error& error) {
  if (!ending_) ending_ = error;
  fatal(error, error.what);
}

template <class Ports>
void PortConsumer<Ports>::on_wake() {
  if (port_) engine()->make_hot(*this);
}

template <class Ports>
bool PortConsumer<Ports>::drained() const {
  const bool is_posted = port_ && port_->posted() != 0;
  return tasks_.in_use() == 0 && !in_poll_ && !is_posted && back_posts_.empty();
}

template <class Ports>
void PortConsumer<Ports>::on_idle() {
  engine()->remove(*this);
  wakes_received_ = port_->wakes_received();
  port_.reset();
}

template <class Ports>
void PortConsumer<Ports>::on_cut_off() {
  if (!port_) return;
  engine()->remove(*this);
  port_->close();
  port_->take_back([this](std::uint16_t index) {
    task_completed();
    BufferImpl* const buffer = in_arrays() ? posts_[index] : tasks_.all()[index].buffer;
    if (buffer != nullptr) buffer->end_posting(0);
    if (in_arrays()) return;
    ReceiveTaskImpl& task = tasks_.all()[index];
    task.state = TaskState::kAllocated;
    task.come_back(Error{Errc::shutdown, 0, "the consumer was cut off"});
  });
  back_.clear();
  back_posts_.clear();
  port_.reset();
}

template <class Ports>
bool PortConsumer<Ports>::on_work() {
  bool did = false;
  if (ending_ && port_ && port_->posted() != 0) did = bring_back();
  return hand_back() || did;
}

// What has arrived first; then what will not be filled any more. Of arrays it goes on when the
// application has polled; see end_poll().
template <class Ports>
bool PortConsumer<Ports>::bring_back() {
  const bool had_message = port_->has_message();
  port_->catch_up();
  const bool has_message = port_->has_message();
  // Of a lane that nobody had heard of when the application found nothing.
  if (has_message && !had_message) polled_out_ = false;
  if (in_arrays() && has_message && !polled_out_) return false;  // It is to be polled.
  request_work();
  if (!in_arrays() && poll()) return true;
  port_->take_back([this](std::uint16_t index) {
    if (!in_arrays()) return end_posting(tasks_.all()[index], *ending_);
    if (posts_[index] != nullptr) posts_[index]->end_posting(0);
    back_posts_.push_back(posts_[index]);
  });
  return true;
}

template <class Ports>
bool PortConsumer<Ports>::is_heeded() const {
  return engine()->heeds(*this);
}

// --- Posting -----------------------------------------------------------------------------

template <class Ports>
Status PortConsumer<Ports>::check_buffer(const Buffer* face) const {
  if (!is_ours(face)) [[unlikely]] {
    return fail(Errc::invalid_value, "not a lent buffer of the consumer's memory map");
  }
  return {};
}

template <class Ports>
Result<ReceiveTask*> PortConsumer<Ports>::allocate(Buffer* buffer) {
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the consumer is not running");
  }
  if (Status s = require_no_views(); !s) return std::unexpected(s.error());
  if (Status s = check_buffer(buffer); !s) return std::unexpected(s.error());
  if (Status s = use_tasks(); !s) return std::unexpected(s.error());
  const Result<ReceiveTaskImpl*> task = acquire();
  if (!task) return std::unexpected(task.error());
  if (buffer != nullptr) (*task)->buffer = &BufferImpl::of(*buffer);
  return *task;
}

template <class Ports>
Status PortConsumer<Ports>::submit(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted already, or free");
  }
  if (task.buffer != nullptr) {
    if (Status s = check_buffer(task.buffer); !s) return s;
    if (task.buffer->posted()) return fail(Errc::bad_state, "the buffer is posted already");
  }
  if (ending_) {
    submit_late(task, *ending_);
    return {};
  }
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  post(task);
  return {};
}

template <class Ports>
Status PortConsumer<Ports>::set_buffer(ReceiveTaskImpl& task, Buffer* buffer) {
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is posted");
  if (Status s = check_buffer(buffer); !s) return s;
  task.buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
  return {};
}

template <class Ports>
void PortConsumer<Ports>::post_now(const ReceiveTaskImpl& task) {
  const Room room = room_of(task.buffer);
  port_->post(task.index, room.offset, room.bytes);
  port_->publish();
}

template <class Ports>
void PortConsumer<Ports>::post_held() {
  const std::span tasks = std::span(held_).first(std::exchange(held_count_, 0));
  for (std::size_t count = 0; count != tasks.size();) {
    const ReceiveTaskImpl& first = *tasks[count++];
    const Room room = room_of(first.buffer);
    port_->post(first.index, room.offset, room.bytes);
    if (room.bytes == 0 || count == tasks.size()) continue;
    const auto next = [base = map_.bytes().data(), bytes = room.bytes,
                       task = tasks.subspan(count).data()](std::uint16_t& name) mutable {
      BufferImpl* const buffer = (*task)->buffer;
      if (buffer == nullptr || buffer->tail_room() != bytes) return comch::shm::kNoBuffer;
      name = (*task++)->index;
      return static_cast<std::uint64_t>(buffer->tail() - base);
    };
    count += port_->post_alike(room.bytes, tasks.size() - count, next);
  }
  port_->publish();
}

template <class Ports>
[[gnu::always_inline]] inline std::uint64_t PortConsumer<Ports>::post_one(Buffer* face) {
  BufferImpl* const buffer = face == nullptr ? nullptr : &BufferImpl::of(*face);
  const Room room = room_of(buffer);
  typename Port::Posting posting(*port_);
  const std::uint16_t name = posting.choose();
  posts_[name] = buffer;
  if (buffer != nullptr) buffer->begin_posting();
  posting.post(name, name, room.offset, room.bytes);
  return room.bytes;
}

// Apart, so that the loop finds registers. What is asked of each is may_post().
template <class Ports>
[[gnu::noinline]] std::size_t PortConsumer<Ports>::post_alike(std::span<Buffer* const> buffers,
                                                              std::uint64_t bytes) {
  const auto next = [map = &map_, base = map_.bytes().data(), posts = posts_.data(), bytes,
                     face = buffers.data()](std::uint16_t& name) mutable {
    if (*face == nullptr) return comch::shm::kNoBuffer;
    BufferImpl& buffer = BufferImpl::of(**face);
    const bool is_alike = buffer.references() != 0 && !buffer.posted() && &buffer.map() == map &&
                          buffer.tail_room() == bytes;
    if (!is_alike) return comch::shm::kNoBuffer;
    ++face;
    buffer.begin_posting();
    posts[name] = &buffer;
    return static_cast<std::uint64_t>(buffer.tail() - base);
  };
  return bytes == 0 ? 0 : port_->post_alike(bytes, buffers.size(), next);
}

template <class Ports>
Result<std::size_t> PortConsumer<Ports>::post(std::span<Buffer* const> buffers) {
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  if (!in_arrays()) [[unlikely]] {
    if (Status s = require_no_views(); !s) return std::unexpected(s.error());
    if (Status s = use_arrays(); !s) return std::unexpected(s.error());
    posts_.resize(port_->names());
  }
  const std::size_t most = std::min<std::size_t>(buffers.size(), tasks() - port_->posted());
  std::size_t count = 0;
  while (count != most && may_post(buffers[count])) {
    const std::uint64_t bytes = post_one(buffers[count++]);
    if (count != most) count += post_alike(buffers.subspan(count, most - count), bytes);
  }
  tasks_submitted(count);
  port_->publish();
  return count;
}

template <class Ports>
std::size_t PortConsumer<Ports>::take_back(std::span<Buffer*> out) {
  const std::size_t count = std::min(out.size(), back_posts_.size());
  const auto first = back_posts_.end() - static_cast<std::ptrdiff_t>(count);
  std::ranges::copy(first, back_posts_.end(), out.begin());
  back_posts_.erase(first, back_posts_.end());
  if (count != 0) {
    tasks_completed(count);
    request_work();
  }
  return count;
}

// Declared where they are derived from.
template class PortConsumer<ShmPorts>;
template class PortConsumer<RdmaPorts>;

}  // namespace comch
