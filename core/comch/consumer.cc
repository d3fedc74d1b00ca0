// Consumer and ReceiveTask: the public faces of ConsumerImpl, or QueueConsumerImpl, and
// ReceiveTaskImpl.
#include "comch/consumer.h"

#include <cstdlib>

#include "comch/consumer_impl.h"
#include "comch/queue_consumer.h"
#include "comch/rdma_consumer.h"

namespace comch {

namespace {

// Calls `use` with what stands behind the face.
template <class Face, class Use>
decltype(auto) ask(Face& face, const Use& use) {
  const ConsumerFace::Kind kind = ConsumerFace::kind(face);
  if (kind == ConsumerFace::Kind::kConnection) [[likely]]
    return use(ConsumerObject<ConsumerImpl>::of(face));
  if (kind == ConsumerFace::Kind::kRdma) {
    return use(ConsumerObject<RdmaConsumerImpl>::of(face));
  }
  return use(ConsumerObject<QueueConsumerImpl>::of(face));
}

}  // namespace

std::string_view name(DataWay way) {
  switch (way) {
    case DataWay::kAuto:
      return "auto";
    case DataWay::kMapped:
      return "mapped";
    case DataWay::kStaged:
      return "staged";
    case DataWay::kCma:
      return "cma";
    case DataWay::kView:
      return "view";
  }
  return "unknown";
}

Result<std::unique_ptr<Consumer>> Consumer::create(Connection& face, MemoryMap& memory) {
  ConnectionImpl& connection = ConnectionImpl::of(face);
  MemoryMapImpl& map = MemoryMapImpl::of(memory);
  if (connection.state() != ConnectionState::kEstablished) {
    return fail(Errc::bad_state, "the connection is not established");
  }
  if (!map.started()) return fail(Errc::bad_state, "the memory map is not started");
  if (!allows(map.permissions(), Access::kPciReadWrite)) {
    return fail(Errc::not_permitted, "the memory map needs Access::kPciReadWrite");
  }
  Result<std::shared_ptr<transport::FastPath>> fast = connection.fast_path();
  if (!fast) return std::unexpected(fast.error());
  // Of another machine's carrier, or of this one's.
  if (auto rdma = std::dynamic_pointer_cast<transport::rdma::Hub>(*fast)) {
    return std::make_unique<ConsumerObject<RdmaConsumerImpl>>(connection, map, std::move(rdma));
  }
  auto hub = std::static_pointer_cast<transport::shm::Hub>(std::move(*fast));
  return std::make_unique<ConsumerObject<ConsumerImpl>>(connection, map, std::move(hub));
}

Result<std::unique_ptr<Consumer>> Consumer::create(MsgQ& queue) {
  Result<std::unique_ptr<msgq::ReceiveEnd>> end = msgq::ReceiveEnd::create(queue);
  if (!end) return std::unexpected(end.error());
  return std::make_unique<ConsumerObject<QueueConsumerImpl>>(queue, std::move(*end));
}

Status Consumer::destroy(std::unique_ptr<Consumer>& consumer) {
  if (consumer == nullptr) return fail(Errc::invalid_value, "there is no consumer to destroy");
  if (consumer->state() != ContextState::kIdle) {
    return fail(Errc::in_use, "the consumer is not idle; stop it first");
  }
  consumer.reset();
  return {};
}

Status Consumer::configure_receive(std::uint32_t tasks, Handler received, Handler failed) {
  return ask(*this, [&](auto& impl) {
    return impl.configure_receive(tasks, std::move(received), std::move(failed));
  });
}
Status Consumer::set_immediate_size(std::uint32_t bytes) {
  return ask(*this, [&](auto& impl) { return impl.set_immediate_size(bytes); });
}
Status Consumer::set_way(DataWay way) {
  return ask(*this, [&](auto& impl) { return impl.set_way(way); });
}
Status Consumer::set_descriptors_kept(bool kept) {
  return ask(*this, [&](auto& impl) { return impl.set_descriptors_kept(kept); });
}
void Consumer::set_polling(Polling polling) {
  ask(*this, [&](auto& impl) { impl.set_polling(polling); });
}
std::uint32_t Consumer::tasks() const {
  return ask(*this, [&](auto& impl) { return impl.tasks(); });
}
std::uint32_t Consumer::immediate_size() const {
  return ask(*this, [&](auto& impl) { return impl.immediate_size(); });
}
DataWay Consumer::way() const {
  return ask(*this, [&](auto& impl) { return impl.way(); });
}
ConsumerId Consumer::id() const {
  return ask(*this, [&](auto& impl) { return impl.id(); });
}
Connection& Consumer::connection() const {
  if (ConsumerFace::on_queue(*this)) std::abort();  // There is none to refer to; ask queue().
  if (ConsumerFace::kind(*this) == ConsumerFace::Kind::kRdma) {
    return ConsumerObject<RdmaConsumerImpl>::of(*this).connection();
  }
  return ConsumerObject<ConsumerImpl>::of(*this).connection();
}
MsgQ* Consumer::queue() const {
  return ask(*this, [](auto& impl) { return impl.queue(); });
}
ConsumerCounters Consumer::counters() const {
  return ask(*this, [&](auto& impl) { return impl.counters(); });
}
std::size_t Consumer::posted() const {
  return ask(*this, [&](auto& impl) { return impl.posted(); });
}

Result<ReceiveTask*> Consumer::allocate_receive(Buffer* buffer) {
  return ask(*this, [&](auto& impl) { return impl.allocate(buffer); });
}
Result<std::size_t> Consumer::post(std::span<Buffer* const> buffers) {
  return ask(*this, [&](auto& impl) { return impl.post(buffers); });
}
std::size_t Consumer::poll(std::span<Received> out) {
  return ask(*this, [&](auto& impl) { return impl.poll(out); });
}
std::size_t Consumer::poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags) {
  return ask(*this, [&](auto& impl) { return impl.poll(out, user_data, flags); });
}
std::size_t Consumer::take_back(std::span<Buffer*> out) {
  return ask(*this, [&](auto& impl) { return impl.take_back(out); });
}
std::size_t Consumer::poll_views(std::span<Incoming> out, std::uint64_t user_data,
                                 std::uint32_t flags, void* owner) {
  if (ConsumerFace::kind(*this) != ConsumerFace::Kind::kConnection) return 0;
  return ConsumerObject<ConsumerImpl>::of(*this).poll_views(out, user_data, flags, owner);
}
std::size_t Consumer::poll_views(std::span<View> out) {
  if (ConsumerFace::kind(*this) != ConsumerFace::Kind::kConnection) [[unlikely]]
    return 0;
  return ConsumerObject<ConsumerImpl>::of(*this).poll_views(out);
}
Status Consumer::release_views(std::size_t count) {
  if (ConsumerFace::kind(*this) != ConsumerFace::Kind::kConnection) [[unlikely]]
    return fail(Errc::not_supported,
                "messages of a MsgQ, or another machine, are in tasks or arrays");
  return ConsumerObject<ConsumerImpl>::of(*this).release_views(count);
}
Status Consumer::give_back(const HandedOver& message) {
  return ask(*this, [&](auto& impl) { return impl.give_back(message); });
}
Result<Held> Consumer::hold(const HandedOver& message) const {
  if (ConsumerFace::kind(*this) != ConsumerFace::Kind::kConnection) {
    return fail(Errc::invalid_value, "nothing is handed over by a MsgQ, or between machines");
  }
  return ConsumerObject<ConsumerImpl>::of(*this).hold(message);
}

// --- ReceiveTask -------------------------------------------------------------------------

// Calls `use` with what the task belongs to.
template <class Task, class Use>
static decltype(auto) owner(Task& task, const Use& use) {
  if (task.consumer != nullptr) [[likely]]
    return use(*task.consumer);
  if (task.rdma != nullptr) return use(*task.rdma);
  return use(*task.queue);
}

Status ReceiveTaskImpl::submit() {
  Status done;
  if (consumer == nullptr || !consumer->try_submit(*this)) [[unlikely]]
    submit_or_refuse(done);
  return done;
}
void ReceiveTaskImpl::submit_or_refuse(Status& done) {
  done = owner(*this, [this](auto& impl) { return impl.submit(*this); });
}
bool ReceiveTaskImpl::try_submit() {
  if (consumer != nullptr) [[likely]]
    return consumer->try_submit(*this);
  return rdma != nullptr && rdma->try_submit(*this);
}
Status ReceiveTaskImpl::free() {
  return owner(*this, [this](auto& impl) { return impl.free(*this); });
}
Status ReceiveTaskImpl::status() const {
  if (state == TaskState::kSubmitted) return fail(Errc::in_progress);
  if (brought == Brought::kError) return std::unexpected(error);
  return {};
}
Context& ReceiveTaskImpl::context() const {
  return owner(*this, [](auto& impl) -> Context& { return impl.face(); });
}

Status ReceiveTask::set_buffer(Buffer* buffer) {
  ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  return owner(task, [&](auto& impl) { return impl.set_buffer(task, buffer); });
}
Buffer* ReceiveTask::buffer() const { return ReceiveTaskImpl::of(*this).buffer; }
ProducerId ReceiveTask::producer() const { return ReceiveTaskImpl::of(*this).producer; }
std::span<const std::byte> ReceiveTask::immediate() const {
  const ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  if (task.brought != ReceiveTaskImpl::Brought::kMore) return {};
  return task.immediate;
}
std::uint64_t ReceiveTask::length() const { return ReceiveTaskImpl::of(*this).length; }
const HandedOver& ReceiveTask::handed_over() const {
  static constexpr HandedOver kNone;
  const ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  return task.brought == ReceiveTaskImpl::Brought::kMore ? task.handed_over : kNone;
}

}  // namespace comch
